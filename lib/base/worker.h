// Worker: a thread of the library inside somebody else's process: named, with all signals blocked, joined when destroyed.
//
// Thread safety: a Worker belongs to the thread that made it.
#ifndef CONCLAVE_LIB_BASE_WORKER_H_
#define CONCLAVE_LIB_BASE_WORKER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace conclave {

class Worker {
 public:
  // Starts `work` on a thread called `name` (cut to 15 bytes). ResourceExhausted when the process may have no more threads.
  static absl::StatusOr<Worker> Start(const std::string& name, std::function<void()> work);
  ~Worker();
  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) = delete;

  // Waits for the work to end. Safe to repeat.
  void Join();
  // Lets the work go on without anybody who waits for it.
  void Detach();

 private:
  struct State;
  explicit Worker(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;  // the thread's own as well
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_BASE_WORKER_H_
