// Spawn: starts the supervisor for one run with posix_spawn and hands it the policy and the descriptors.
//
// Thread safety: functions may run concurrently.
// Ownership: the caller owns what it gets; a run whose channel is closed ends by itself.
#ifndef CONCLAVE_LIB_SANDBOX_SPAWN_H_
#define CONCLAVE_LIB_SANDBOX_SPAWN_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "conclave/sandbox.h"
#include "lib/base/descriptor.h"
#include "lib/sandbox/policy.h"
#include "lib/sandbox/private_folder.h"
#include "lib/sandbox/supervisor_image.h"

namespace conclave {

struct SpawnedRun {
  Descriptor channel;  // see wire.h; non-blocking
  Descriptor process;  // pidfd of the supervisor; not valid on kernels without
  pid_t pid = -1;
  Descriptor program;          // pidfd of the program, once announced
  Descriptor standard_output;  // read ends, non-blocking
  Descriptor standard_error;
  Descriptor result;         // not valid when the request wants none
  std::string unsent;        // the part of the policy that the channel had no room for yet
  int64_t begun_ns = 0;      // CLOCK_MONOTONIC, before anything was done
  int64_t mapped_bytes = 0;  // size of the files lent to the run
};

// How a run is started, beyond what its request says.
struct SpawnContext {
  const SupervisorImage& image;
  const PrivateFolder& folder;
  Isolation isolation;
  ReadablePaths readable;  // besides those of the request
};

// Unavailable when the host forbids processes, ResourceExhausted when it is out of descriptors or processes.
absl::StatusOr<SpawnedRun> Spawn(const SpawnContext& context, const SandboxRequest& request);

// Starts a process that removes `folder`, which may take long; it outlives the host, and nobody has to wait for it. The caller
// disowns the folder after that.
absl::Status SpawnRemover(const SupervisorImage& image, const PrivateFolder& folder);

// Ends the supervisor, if it still lives, and takes its exit status. Tolerates hosts that ignore SIGCHLD or reap any child.
void Reap(const SpawnedRun& run);

// For a run whose supervisor is lost: ends the program and its process group, and waits, a second at most, until they are gone.
void EndProgram(const SpawnedRun& run);

int64_t MonotonicNanoseconds();

}  // namespace conclave

#endif  // CONCLAVE_LIB_SANDBOX_SPAWN_H_
