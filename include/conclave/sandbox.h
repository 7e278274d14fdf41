// Sandbox: runs one program in its own process tree under hard limits, and says how it ended.
// A run that was killed, crashed or said nothing is an outcome, not an error; a Status means that no run took place.
//
// Thread safety: const functions may run concurrently.
// Ownership: descriptors in a request are borrowed for the length of the call; results own their data.
//
//   SandboxRequest request;
//   request.arguments = {"/usr/bin/true"};
//   absl::StatusOr<SandboxResult> result = sandbox.Run(request, Cancellation());
#ifndef CONCLAVE_SANDBOX_H_
#define CONCLAVE_SANDBOX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conclave/cancellation.h"
#include "conclave/v1/execution.pb.h"

namespace conclave {

// The longest that a run may be given, in wall and in CPU time.
constexpr int64_t kLongestRunMs = 7LL * 24 * 3600 * 1000;
constexpr absl::Duration kLongestRun = absl::Milliseconds(kLongestRunMs);

// What each limit may be, ends included.
struct LimitRange {
  int64_t least;
  int64_t most;
};
constexpr LimitRange kMemoryBytesRange = {1LL << 20, 1LL << 44};
constexpr LimitRange kOutputBytesRange = {1, 1LL << 30};
constexpr LimitRange kDiskBytesRange = {1, 1LL << 50};
constexpr LimitRange kDiskInodesRange = {1, 1'000'000'000};
constexpr LimitRange kProcessesRange = {1, 1024};
constexpr LimitRange kThreadsRange = {1, 4096};
constexpr LimitRange kDescriptorsRange = {4, 65'536};

// Limits of one run over its whole process tree. All must be positive.
struct Limits {
  absl::Duration wall = absl::Seconds(60);  // Trap: also counts while the tree is stopped or waits.
  absl::Duration cpu = absl::Seconds(30);   // User plus system time of all processes, ended ones included.
  int64_t memory_bytes = 512LL << 20;       // RssAnon + RssShmem of the tree; mapped files do not count.
  int64_t output_bytes = 1LL << 20;         // Kept of each of stdout and stderr, half head and half tail.
  int64_t disk_bytes = 1LL << 30;           // In the private folder; also the largest single file.
  int64_t disk_inodes = 10'000;
  int32_t processes = 1;
  int32_t threads = 64;
  int32_t descriptors = 128;
};

// What all runs of an engine together may use at a time. Runs beyond it wait: first come first served within a job, jobs in
// turn, so that one with many runs does not keep the others waiting.
struct EngineBudget {
  int64_t memory_bytes = 4LL << 30;
  int64_t disk_bytes = 16LL << 30;
  int32_t processes = 64;
  double cpus = 0;  // 0: as many as the machine has
};

// How strongly runs are isolated. Each level includes those below it:
//   0  limits, no privileges, closed descriptors, a clean environment
//   1  + a filter of system calls (seccomp) and of paths (Landlock)
//   2  + namespaces of the run's own: user, process, IPC and mount, in which it sees only what it may read
//   3  + a network namespace with nothing in it
// A run gets the best level this machine has that is not above `preferred`. When that is below `required` it does not take
// place: the error names the layer that is missing, why, and what would allow it.
struct Isolation {
  int required = 1;
  int preferred = 2;  // at least `required`
};
constexpr LimitRange kIsolationRange = {0, 3};

// Descriptor `host` of the caller appears as `guest` in the program. Guest numbers below 3 are standard input (default
// /dev/null); 1 and 2 cannot be granted, they are always captured.
struct DescriptorGrant {
  int host = -1;
  int guest = -1;
};

struct SandboxRequest {
  // Absolute path of an ELF program and its arguments; arguments[0] is the path unless `executable` is set.
  std::vector<std::string> arguments;
  // An open descriptor to execute instead of looking up arguments[0]; needed where the unprivileged uid cannot reach the path.
  int executable = -1;
  // The whole environment: "NAME=value". Nothing is inherited.
  std::vector<std::string> environment;
  std::vector<DescriptorGrant> descriptors;
  // Absolute paths of files and folders that the program may read and execute, with all below them, besides what every program
  // may: the system's programs and libraries (SystemPaths in lib/sandbox/policy.h), and what was granted. Those that are
  // missing are passed over. From level 1 on all else is refused.
  std::vector<std::string> readable;
  // When positive, the program may write up to this many bytes to a pipe at `result_descriptor`; more ends the run with
  // OUTPUT_LIMIT. Zero: no such pipe.
  int64_t result_bytes = 0;
  int result_descriptor = 3;
  Limits limits;
  // Absolute point after which the run is ended with DEADLINE.
  absl::Time deadline = absl::InfiniteFuture();
  // Files of the private folder to keep: at most this many regular files, copied out after the tree is dead. Zero: none.
  int32_t artifacts = 0;
};

// What one step of making a run ready took.
struct StepCost {
  std::string name;
  int64_t microseconds = 0;
};

struct SandboxArtifact {
  std::string name;
  std::string content;
};

struct SandboxResult {
  v1::EndReason end_reason = v1::END_REASON_UNSPECIFIED;
  int exit_code = 0;
  int signal = 0;
  std::string detail;  // One sentence: what ended the run, the limit and the value seen.
  v1::Usage usage;
  int isolation_level = -1;
  std::vector<v1::LayerState> layers;
  std::vector<StepCost> steps;  // In order; steps under a microsecond are left out.
  v1::CapturedStream standard_output;
  v1::CapturedStream standard_error;
  std::string result;  // Bytes written to the result descriptor, complete or not.
  std::vector<SandboxArtifact> artifacts;
};

// What this machine allows, from a probe run.
struct SandboxCapabilities {
  int isolation_level = -1;
  std::vector<v1::LayerState> layers;
  std::string supervisor;  // Where the supervisor comes from.
};

class Sandbox {
 public:
  virtual ~Sandbox() = default;

  // Runs the program to its end. Returns InvalidArgument naming the field for a request that makes no sense,
  // FailedPrecondition naming the layer when a required layer cannot be had, Unavailable when the host forbids processes.
  virtual absl::StatusOr<SandboxResult> Run(const SandboxRequest& request, const Cancellation& cancellation) const = 0;

  virtual absl::StatusOr<SandboxCapabilities> Probe() const = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_SANDBOX_H_
