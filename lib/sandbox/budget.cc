#include "lib/sandbox/budget.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/base/descriptor.h"
#include "lib/sandbox/outcome.h"

namespace conclave {

class Budget::Queue {
 public:
  struct Amounts {
    int64_t memory = 0;
    int64_t disk = 0;
    int64_t processes = 0;
    double cpus = 0;

    void Add(const Amounts& other) {
      memory += other.memory;
      disk += other.disk;
      processes += other.processes;
      cpus += other.cpus;
    }
    void Subtract(const Amounts& other) {
      memory -= other.memory;
      disk -= other.disk;
      processes -= other.processes;
      cpus -= other.cpus;
    }
    bool FitsIn(const Amounts& other) const {
      constexpr double kRounding = 1e-9;
      return memory <= other.memory && disk <= other.disk && processes <= other.processes && cpus <= other.cpus + kRounding;
    }
  };

  // What a waiter sleeps on, so that a grant and a cancellation wake it alike.
  struct Waiter {
    Amounts wants;
    Descriptor bell;
    bool granted = false;
  };

  explicit Queue(const EngineBudget& budget) : whole_{budget.memory_bytes, budget.disk_bytes, budget.processes, budget.cpus} {
    if (whole_.cpus <= 0) whole_.cpus = std::max(1u, std::thread::hardware_concurrency());
    free_ = whole_;
  }

  Amounts Of(const Limits& limits) const {
    return {limits.memory_bytes, limits.disk_bytes, limits.processes,
            std::min(whole_.cpus, static_cast<double>(limits.processes))};
  }

  absl::Status CheckWhole(const Limits& limits) const {
    const struct {
      const char* field;
      const char* dimension;
      int64_t wanted;
      int64_t whole;
    } checks[] = {{"context.run_limits.memory_bytes", "budget.memory_bytes", limits.memory_bytes, whole_.memory},
                  {"context.run_limits.disk_bytes", "budget.disk_bytes", limits.disk_bytes, whole_.disk},
                  {"context.run_limits.processes", "budget.processes", limits.processes, whole_.processes}};
    for (const auto& check : checks) {
      if (check.wanted <= check.whole) continue;
      return absl::InvalidArgumentError(absl::StrCat(check.field, ": ", check.wanted, " is more than the whole ",
                                                     check.dimension, " of ", check.whole,
                                                     "; lower the limit or raise the budget"));
    }
    return absl::OkStatus();
  }

  // Takes `wants` at once when nobody waits and it fits.
  bool TryTake(const Amounts& wants) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!waiters_.empty() || !wants.FitsIn(free_)) return false;
    free_.Subtract(wants);
    return true;
  }

  using Place = std::list<std::shared_ptr<Waiter>>::iterator;

  Place Enter(std::shared_ptr<Waiter> waiter) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Place place = waiters_.insert(waiters_.end(), std::move(waiter));
    GrantInOrder();
    return place;
  }

  bool Granted(const Waiter& waiter) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return waiter.granted;
  }

  // Gives up the place; false when the share came first and is now the caller's.
  bool Leave(const Waiter& waiter, Place place) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (waiter.granted) return false;
    waiters_.erase(place);
    GrantInOrder();  // those behind may fit
    return true;
  }

  void Return(const Amounts& amounts) {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.Add(amounts);
    GrantInOrder();
  }

  size_t waiting() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return waiters_.size();
  }

 private:
  void GrantInOrder() {
    while (!waiters_.empty() && waiters_.front()->wants.FitsIn(free_)) {
      Waiter& first = *waiters_.front();
      free_.Subtract(first.wants);
      first.granted = true;
      const uint64_t one = 1;
      // Cannot block: the bell is rung once.
      [[maybe_unused]] const ssize_t ignored = ::write(first.bell.get(), &one, sizeof one);
      waiters_.pop_front();
    }
  }

  std::mutex mutex_;
  Amounts whole_;  // set once
  Amounts free_;
  std::list<std::shared_ptr<Waiter>> waiters_;
};

namespace {

// Sleeps until the bell, the cancellation or `deadline`, and now and then in case the cancellation has no descriptor.
void Sleep(int bell, const Cancellation& cancellation, absl::Time deadline) {
  pollfd sources[2] = {{bell, POLLIN, 0}, {cancellation.descriptor(), POLLIN, 0}};
  const absl::Duration left = std::clamp(deadline - absl::Now(), absl::ZeroDuration(), absl::Milliseconds(500));
  ::poll(sources, 2, static_cast<int>(absl::ToInt64Milliseconds(left + absl::Microseconds(999))));
}

class BudgetedSandbox : public Sandbox {
 public:
  BudgetedSandbox(const Sandbox& sandbox, const Budget& budget) : sandbox_(sandbox), budget_(budget) {}

  absl::StatusOr<SandboxResult> Run(const SandboxRequest& request, const Cancellation& cancellation) const override {
    const absl::StatusOr<Budget::Admission> admission = budget_.Admit(request.limits, cancellation, request.deadline);
    if (absl::IsCancelled(admission.status())) {
      return NeverStarted(v1::CANCELLED, std::string(admission.status().message()));
    }
    if (absl::IsDeadlineExceeded(admission.status())) {
      return NeverStarted(v1::DEADLINE, std::string(admission.status().message()));
    }
    if (!admission.ok()) return admission.status();
    return sandbox_.Run(request, cancellation);
  }

  absl::StatusOr<SandboxCapabilities> Probe() const override { return sandbox_.Probe(); }

 private:
  const Sandbox& sandbox_;
  const Budget& budget_;
};

}  // namespace

Budget::Admission& Budget::Admission::operator=(Admission&& other) noexcept {
  std::swap(queue_, other.queue_);
  std::swap(limits_, other.limits_);
  return *this;
}

Budget::Admission::~Admission() {
  if (queue_ != nullptr) queue_->Return(queue_->Of(limits_));
}

Budget::Budget(const EngineBudget& budget) : queue_(std::make_shared<Queue>(budget)) {}

absl::StatusOr<Budget::Admission> Budget::Admit(const Limits& limits, const Cancellation& cancellation,
                                                absl::Time deadline) const {
  if (absl::Status status = queue_->CheckWhole(limits); !status.ok()) return status;
  const Queue::Amounts wants = queue_->Of(limits);
  if (queue_->TryTake(wants)) return Admission(queue_, limits);

  const auto waiter = std::make_shared<Queue::Waiter>();
  waiter->wants = wants;
  waiter->bell = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!waiter->bell.valid()) return ErrnoStatus(errno, "eventfd");
  const Queue::Place place = queue_->Enter(waiter);
  while (!queue_->Granted(*waiter)) {
    const bool cancelled = cancellation.cancelled();
    if (!cancelled && absl::Now() < deadline) {
      Sleep(waiter->bell.get(), cancellation, deadline);
      continue;
    }
    if (!queue_->Leave(*waiter, place)) break;
    if (cancelled) return absl::CancelledError("cancelled while waiting for a share of the engine's budget");
    return absl::DeadlineExceededError("the deadline came while waiting for a share of the engine's budget");
  }
  return Admission(queue_, limits);
}

size_t Budget::waiting() const { return queue_->waiting(); }

std::unique_ptr<Sandbox> CreateBudgetedSandbox(const Sandbox& sandbox, const Budget& budget) {
  return std::make_unique<BudgetedSandbox>(sandbox, budget);
}

}  // namespace conclave
