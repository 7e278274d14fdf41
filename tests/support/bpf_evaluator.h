// Runs programs for seccomp(2) on made-up system calls, so that tests see what a filter answers without a kernel, for either
// architecture on any machine.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_TESTS_SUPPORT_BPF_EVALUATOR_H_
#define CONCLAVE_TESTS_SUPPORT_BPF_EVALUATOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "lib/guest/supervisor/filter_compiler.h"

namespace conclave {

// struct seccomp_data, byte for byte.
struct CallRecord {
  uint32_t number = 0;
  uint32_t architecture = 0;
  uint64_t instruction_pointer = 0;
  std::array<uint64_t, 6> arguments = {};
};
static_assert(sizeof(CallRecord) == FILTER_RECORD_BYTES);

struct Verdict {
  uint32_t result = 0;
  int steps = 0;
  int comparisons = 0;
  int number_comparisons = 0;  // before an argument was looked at
};

// What the kernel checks before it takes a program: known steps, loads within the record, jumps that lead forward to a step,
// and no way to run off the end. Empty, or what is wrong.
inline std::string WhatIsWrong(const filter_program& program) {
  if (program.count == 0 || program.count > FILTER_CAPACITY) return "count " + std::to_string(program.count);
  for (size_t i = 0; i < program.count; ++i) {
    const filter_step& step = program.steps[i];
    const size_t left = program.count - i - 1;  // steps behind this one
    const std::string where = "step " + std::to_string(i);
    switch (step.code) {
      case FILTER_LOAD:
        if (step.k % 4 != 0 || step.k >= FILTER_RECORD_BYTES) return where + " loads from outside";
        if (left == 0) return where + " ends the program with a load";
        break;
      case FILTER_JUMP:
        if (step.k >= left) return where + " jumps too far";
        break;
      case FILTER_JUMP_EQUAL:
      case FILTER_JUMP_AT_LEAST:
      case FILTER_JUMP_ANY_BIT:
        if (step.jump_true >= left || step.jump_false >= left) return where + " branches too far";
        break;
      case FILTER_RETURN: break;
      default: return where + " has the unknown code " + std::to_string(step.code);
    }
  }
  return "";
}

// `program` must have nothing wrong with it.
inline Verdict Evaluate(const filter_program& program, const CallRecord& call) {
  Verdict verdict;
  std::array<unsigned char, FILTER_RECORD_BYTES> bytes;
  std::memcpy(bytes.data(), &call, sizeof call);
  uint32_t accumulator = 0;
  bool saw_arguments = false;
  for (size_t i = 0;; ++i) {
    const filter_step& step = program.steps[i];
    ++verdict.steps;
    bool holds = false;
    switch (step.code) {
      case FILTER_LOAD:
        std::memcpy(&accumulator, bytes.data() + step.k, sizeof accumulator);
        saw_arguments = saw_arguments || step.k >= FILTER_OFFSET_ARGUMENT_LOW(0);
        continue;
      case FILTER_JUMP: i += step.k; continue;
      case FILTER_JUMP_EQUAL: holds = accumulator == step.k; break;
      case FILTER_JUMP_AT_LEAST: holds = accumulator >= step.k; break;
      case FILTER_JUMP_ANY_BIT: holds = (accumulator & step.k) != 0; break;
      default: verdict.result = step.k; return verdict;
    }
    ++verdict.comparisons;
    if (!saw_arguments) ++verdict.number_comparisons;
    i += holds ? step.jump_true : step.jump_false;
  }
}

}  // namespace conclave

#endif  // CONCLAVE_TESTS_SUPPORT_BPF_EVALUATOR_H_
