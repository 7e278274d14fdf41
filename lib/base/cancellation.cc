#include "conclave/cancellation.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace conclave {

struct Cancellation::State {
  ~State() {
    if (descriptor >= 0) ::close(descriptor);
  }
  std::atomic<bool> cancelled{false};
  int descriptor = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
};

bool Cancellation::cancelled() const { return state_ != nullptr && state_->cancelled.load(std::memory_order_acquire); }

int Cancellation::descriptor() const { return state_ == nullptr ? -1 : state_->descriptor; }

CancellationSource::CancellationSource() { token_.state_ = std::make_shared<Cancellation::State>(); }

void CancellationSource::Cancel() const {
  Cancellation::State& state = *token_.state_;
  state.cancelled.store(true, std::memory_order_release);
  const uint64_t one = 1;
  // The counter only has to be non-zero; a failed write means that it already is, or that polling must do without it.
  [[maybe_unused]] const ssize_t ignored = ::write(state.descriptor, &one, sizeof one);
}

}  // namespace conclave
