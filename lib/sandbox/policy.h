// Policy: a request, checked and written down for the supervisor. A limit that is zero, negative, endless or at odds with
// another is refused here, by name and value: there is no unlimited mode.
//
// Thread safety: pure functions.
// Ownership: borrows the request for the length of the call.
#ifndef CONCLAVE_LIB_SANDBOX_POLICY_H_
#define CONCLAVE_LIB_SANDBOX_POLICY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "conclave/sandbox.h"

namespace conclave {

// InvalidArgument naming the field and the offending value.
absl::Status CheckRequest(const SandboxRequest& request);

// RLIMIT_AS for a run that may also map `mapped_bytes` of files: generous, because libraries reserve far more address space
// than they use and some of them hang when they cannot.
int64_t AddressSpace(const Limits& limits, int64_t mapped_bytes);

// Where every program may read and execute: programs, libraries and what these need of /etc, as far as it exists here.
struct ReadablePaths {
  std::vector<std::string> links;  // symbolic links to what `paths` has, as /bin is where /usr holds all programs
  std::vector<std::string> paths;
};
ReadablePaths SystemPaths();

// The policy in wire form (wire.h). `targets` are the numbers of all granted descriptors, in the order they are sent;
// `mapped_bytes` the size of the files among them. `now` and `monotonic_ns` are one moment on two clocks.
// `readable` is all that the run may read, the system's paths included.
struct PolicyContext {
  std::string_view folder;
  std::vector<int> targets;
  int64_t mapped_bytes = 0;
  Isolation isolation;
  ReadablePaths readable;
  absl::Time now;
  int64_t monotonic_ns = 0;
};
std::string EncodePolicy(const SandboxRequest& request, const PolicyContext& context);

}  // namespace conclave

#endif  // CONCLAVE_LIB_SANDBOX_POLICY_H_
