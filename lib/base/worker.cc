#include "lib/base/worker.h"

#include <pthread.h>

#include <csignal>
#include <utility>

#include "lib/base/descriptor.h"

namespace conclave {
namespace {

// Room for what is deepest here, a JSON document or a question, many times over.
constexpr size_t kStackBytes = 2u << 20;

}  // namespace

struct Worker::State {
  std::string name;
  std::function<void()> work;
  pthread_t thread = {};
  bool joinable = false;

  static void* Main(void* argument) {
    const std::unique_ptr<std::shared_ptr<State>> own(static_cast<std::shared_ptr<State>*>(argument));
    const std::shared_ptr<State> state = *own;
    ::pthread_setname_np(::pthread_self(), state->name.c_str());
    state->work();
    return nullptr;
  }
};

Worker::Worker(std::shared_ptr<State> state) : state_(std::move(state)) {}
Worker::Worker(Worker&&) noexcept = default;
Worker::~Worker() { Join(); }

absl::StatusOr<Worker> Worker::Start(const std::string& name, std::function<void()> work) {
  auto state = std::make_shared<State>();
  state->name = name.substr(0, 15);
  state->work = std::move(work);
  auto own = std::make_unique<std::shared_ptr<State>>(state);
  // A new thread inherits the mask of its maker; the host's signals must not be delivered to a thread of ours.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  // Of a size of our own, because the host's default may be tiny, or larger than there is memory for.
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  const int error = ::pthread_create(&state->thread, &attributes, &State::Main, own.get());
  ::pthread_attr_destroy(&attributes);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) return ErrnoStatus(error, "starting a thread");
  own.release();  // NOLINT(bugprone-unused-return-value): the thread's
  state->joinable = true;
  return Worker(std::move(state));
}

void Worker::Join() {
  if (state_ == nullptr || !state_->joinable) return;
  ::pthread_join(state_->thread, nullptr);
  state_->joinable = false;
}

void Worker::Detach() {
  if (state_ == nullptr || !state_->joinable) return;
  ::pthread_detach(state_->thread);
  state_->joinable = false;
}

}  // namespace conclave
