#include "lib/base/worker.h"

#include <pthread.h>

#include <csignal>
#include <utility>

#include "lib/base/descriptor.h"

namespace conclave {

struct Worker::State {
  std::string name;
  std::function<void()> work;
  pthread_t thread = {};
  bool joinable = false;

  static void* Main(void* argument) {
    auto* state = static_cast<State*>(argument);
    ::pthread_setname_np(::pthread_self(), state->name.c_str());
    state->work();
    return nullptr;
  }
};

Worker::Worker(std::unique_ptr<State> state) : state_(std::move(state)) {}
Worker::Worker(Worker&&) noexcept = default;
Worker::~Worker() { Join(); }

absl::StatusOr<Worker> Worker::Start(const std::string& name, std::function<void()> work) {
  auto state = std::make_unique<State>();
  state->name = name.substr(0, 15);
  state->work = std::move(work);
  // A new thread inherits the mask of its maker; the host's signals must not be delivered to a thread of ours.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = ::pthread_create(&state->thread, nullptr, &State::Main, state.get());
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) return ErrnoStatus(error, "starting a thread");
  state->joinable = true;
  return Worker(std::move(state));
}

void Worker::Join() {
  if (state_ == nullptr || !state_->joinable) return;
  ::pthread_join(state_->thread, nullptr);
  state_->joinable = false;
}

}  // namespace conclave
