// Outcome: what the supervisor reported and the host saw, as an end reason with one sentence that names limit and value.
//
// Thread safety: pure functions.
// Ownership: values only.
#ifndef CONCLAVE_LIB_SANDBOX_OUTCOME_H_
#define CONCLAVE_LIB_SANDBOX_OUTCOME_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "conclave/sandbox.h"
#include "lib/sandbox/supervise.h"
#include "lib/sandbox/wire.h"

namespace conclave {

// A layer message of the supervisor in public words.
v1::LayerState LayerOf(const conclave_message& message);

// "file_size" and the like: the step's name in messages.
std::string StepName(uint32_t step);

// A duration that was measured, in at most three digits that count: "0.412ms", "85ms", "1.23s", "2m5s".
std::string MeasuredText(int64_t ns);

// Bytes for people: "64 MB", "1.5 GB", "312 bytes".
std::string BytesText(int64_t bytes);

// What a run came to. `begun_ns` and `mapped_bytes` are those of SpawnedRun; `cancelled` says that the caller wanted it to end.
// FailedPrecondition names the layer when a required one could not be had.
absl::StatusOr<SandboxResult> Conclude(const SandboxRequest& request, Observation seen, int64_t begun_ns, int64_t mapped_bytes,
                                       bool cancelled);

// A run that ended before it began.
SandboxResult NeverStarted(v1::EndReason reason, std::string detail);

}  // namespace conclave

#endif  // CONCLAVE_LIB_SANDBOX_OUTCOME_H_
