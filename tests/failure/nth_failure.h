// NthFailure: does something again and again, each time with another call failing, until a time in which none did.
//
// Thread safety: belongs to one thread, which makes the calls.
#ifndef CONCLAVE_TESTS_FAILURE_NTH_FAILURE_H_
#define CONCLAVE_TESTS_FAILURE_NTH_FAILURE_H_

#include <cstdint>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "conclave/sandbox.h"
#include "gtest/gtest.h"
#include "tests/failure/failing_calls.h"

namespace conclave {

inline const char* NameOfMode(int mode, bool from_then_on) {
  if (mode == FAILING_SHORT) return from_then_on ? "short from N on" : "short";
  if (mode == FAILING_INTERRUPTED) return "interrupted";
  return from_then_on ? "forbidden from N on" : "forbidden";
}

// "ok", "end reason LAUNCH_FAILED", "status RESOURCE_EXHAUSTED".
inline std::string KindOf(const absl::StatusOr<SandboxResult>& result) {
  if (!result.ok()) return "status " + std::string(absl::StatusCodeToString(result.status().code()));
  return result->end_reason == v1::OK ? "ok" : "end reason " + v1::EndReason_Name(result->end_reason);
}

// How far apart the calls are that fail: each of them where CONCLAVE_EVERY_CALL is set, as in continuous integration; else so
// many are passed over that the loop takes seconds.
inline int64_t StepOf(int64_t seldom) { return std::getenv("CONCLAVE_EVERY_CALL") != nullptr ? 1 : seldom; }

// How many expectations of this test have failed; a loop ends when they are enough to see what is wrong.
inline bool EnoughFailures() {
  const ::testing::TestResult& result = *::testing::UnitTest::GetInstance()->current_test_info()->result();
  return result.Failed() && result.total_part_count() > 30;
}

// Outcomes by kind, printed when it goes out of scope.
class OutcomeTable {
 public:
  OutcomeTable(std::string_view what, int mode, bool from_then_on) : title_(what) {
    title_.append(", ").append(NameOfMode(mode, from_then_on));
  }
  ~OutcomeTable() {
    std::cout << "  " << std::left << std::setw(58) << title_ << " N " << std::right << std::setw(4) << reached_;
    for (const auto& [kind, count] : kinds_) std::cout << "  " << kind << " " << count;
    std::cout << "\n";
  }
  void Add(const std::string& kind) {
    ++reached_;
    ++kinds_[kind];
  }
  int64_t reached() const { return reached_; }

 private:
  std::string title_;
  int64_t reached_ = 0;
  std::map<std::string, int> kinds_;
};

}  // namespace conclave

#endif  // CONCLAVE_TESTS_FAILURE_NTH_FAILURE_H_
