// The sandbox of this library: each run is a process tree of its own under a supervisor, under the best isolation its options
// ask for. The host only ever calls posix_spawn; limits live in the supervisor, so they hold when the host is stopped or dies.
//
// Thread safety: the sandbox may be used from any number of threads; it makes none of its own, a run waits in its caller's.
// Ownership: holds one descriptor (the supervisor's image); nothing of a run outlives Run().
//
//   absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox(ProcessSandboxOptions());
#ifndef CONCLAVE_LIB_SANDBOX_PROCESS_SANDBOX_H_
#define CONCLAVE_LIB_SANDBOX_PROCESS_SANDBOX_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "conclave/sandbox.h"

namespace conclave {

struct ProcessSandboxOptions {
  // The supervisor's file. Empty: the copy embedded in this library.
  std::string supervisor_path;
  // Where the private folders of runs are made; must exist, and not be a symbolic link. Trap: the run's unprivileged user must
  // be able to reach it. Empty: /tmp.
  std::string temporary_folder;
  // Applies to every run.
  Isolation isolation;
};

// `named` when runs can live below it: it exists, and whoever runs have as their user can reach it, which for a host that is
// root is nobody in particular. Else /tmp.
std::string FolderForRuns(const std::string& named);

// NotFound or InvalidArgument naming the option; Unavailable when no supervisor can be had.
absl::StatusOr<std::unique_ptr<Sandbox>> CreateProcessSandbox(const ProcessSandboxOptions& options);

}  // namespace conclave

#endif  // CONCLAVE_LIB_SANDBOX_PROCESS_SANDBOX_H_
