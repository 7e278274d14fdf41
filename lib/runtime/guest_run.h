// GuestRun: what all runtimes have in common. Builds the request of docs/guest-protocol.md, runs a guest program in the sandbox
// and reads what it sent into an Execution.
//
// Thread safety: pure functions, and one that only calls the sandbox.
// Ownership: everything is borrowed for the length of a call.
#ifndef CONCLAVE_LIB_RUNTIME_GUEST_RUN_H_
#define CONCLAVE_LIB_RUNTIME_GUEST_RUN_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conclave/cancellation.h"
#include "conclave/dataset.h"
#include "conclave/runtime.h"
#include "conclave/sandbox.h"
#include "conclave/v1/execution.pb.h"
#include "lib/base/frames.h"
#include "lib/base/json.h"
#include "lib/sandbox/guest_call.h"

namespace conclave {

inline constexpr size_t kMostCodeBytes = 1u << 20;

// Refuses what no guest should see, naming the field: code in another language, too long or not UTF-8; datasets that are not
// open, or of one name.
absl::Status CheckRun(const v1::Program& program, v1::Language language, const std::vector<DatasetPtr>& datasets,
                      const RunOptions& options);

// The request for a program over datasets, whose column stores the guest finds from kFirstDataDescriptor on.
Json ProgramRequest(const v1::Program& program, const std::vector<DatasetPtr>& datasets, const RunOptions& options);

// Runs the guest: `call` says how it is started and what it is asked; the data, the limits and what the guest is to try of its
// isolation are filled in here. A Status is that of the sandbox: no run took place.
absl::StatusOr<SandboxResult> RunGuest(const Sandbox& sandbox, GuestCall call, const std::vector<DatasetPtr>& datasets,
                                       const RunOptions& options, const Cancellation& cancellation);

// What the sandbox saw and what the guest said, as one record. The guest's word is a claim: it can lower what the sandbox says
// of isolation, never raise it; its answer counts only when the run ended well.
// `frames` are those of `result`.
v1::Execution ToExecution(const v1::Program& program, const RunOptions& options, const SandboxResult& result,
                          const GuestFrames& frames);

}  // namespace conclave

#endif  // CONCLAVE_LIB_RUNTIME_GUEST_RUN_H_
