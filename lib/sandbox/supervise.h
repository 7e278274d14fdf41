// Supervise: the host's side of a run while it lasts. Waits, in the calling thread, on the supervisor, the output, the result
// and the cancellation, and gathers what they say in bounded memory.
//
// Thread safety: belongs to one thread.
// Ownership: borrows the run.
#ifndef CONCLAVE_LIB_SANDBOX_SUPERVISE_H_
#define CONCLAVE_LIB_SANDBOX_SUPERVISE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conclave/cancellation.h"
#include "conclave/sandbox.h"
#include "lib/sandbox/capture.h"
#include "lib/sandbox/spawn.h"
#include "lib/sandbox/wire.h"

namespace conclave {

// A program may write this many times what is kept of its output before it is ended for it.
inline constexpr int64_t kOutputFlood = 64;

struct Observation {
  explicit Observation(int64_t output_bytes) : standard_output(output_bytes), standard_error(output_bytes) {}

  std::optional<conclave_message> last;  // FAILED or ENDED; absent when the supervisor was lost
  std::optional<int64_t> started_ns;     // CLOCK_MONOTONIC; absent when the program never ran
  std::vector<v1::LayerState> layers;
  std::vector<int32_t> step_us;  // by conclave_step; empty when the program never ran
  Capture standard_output;
  Capture standard_error;
  std::string result;
  bool result_overflow = false;
  bool other_version = false;  // the supervisor speaks another version of lib/sandbox/wire.h
};

Observation Supervise(SpawnedRun& run, const SandboxRequest& request, const Cancellation& cancellation);

}  // namespace conclave

#endif  // CONCLAVE_LIB_SANDBOX_SUPERVISE_H_
