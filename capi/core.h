// Core: an engine as its handle, its jobs and its models share it. It lives until the last of them is gone.
//
// Thread safety: every function may be called from any thread at any time.
// Ownership: always held by std::shared_ptr.
#ifndef CONCLAVE_CAPI_CORE_H_
#define CONCLAVE_CAPI_CORE_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "conclave/engine.h"

namespace conclave::capi {

struct Core {
  explicit Core(std::string scope_name);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // FailedPrecondition in a child of fork(): the threads and processes that the engine counts on stayed with the parent.
  absl::Status CheckProcess() const;
  bool InOtherProcess() const;

  const std::string scope;
  const pid_t process;
  // A page that the kernel empties in a child of fork(): in a process namespace the child may have the same number. Null where
  // the kernel has no such pages.
  const volatile char* const mark;
  std::unique_ptr<Engine> engine;
};

// Lets go of `core`. In a child of fork() it is left as it is instead: ending it there would remove files, stop processes and
// wait for threads that are the parent's.
void Release(std::shared_ptr<Core> core);

}  // namespace conclave::capi

struct conclave_engine {
  std::shared_ptr<conclave::capi::Core> core;
};

#endif  // CONCLAVE_CAPI_CORE_H_
