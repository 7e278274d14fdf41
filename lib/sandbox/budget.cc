#include "lib/sandbox/budget.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/base/clock.h"
#include "lib/base/descriptor.h"
#include "lib/sandbox/outcome.h"

namespace conclave {
namespace {

constexpr int64_t kOneCpu = 1000;
constexpr absl::Duration kReportGap = absl::Milliseconds(500);
// How often a waiter looks that has no bell, because descriptors are short.
constexpr absl::Duration kBlindGap = absl::Milliseconds(20);

Amounts WholeOf(const EngineBudget& budget) {
  const double cpus = budget.cpus > 0 ? budget.cpus : std::max(1u, std::thread::hardware_concurrency());
  return {{budget.memory_bytes, budget.disk_bytes, budget.processes,
           std::max<int64_t>(1, std::llround(cpus * static_cast<double>(kOneCpu)))}};
}

}  // namespace

// The fair queue for many threads: each sleeps on a bell of its own, so that a grant and a cancellation wake it alike.
class Budget::Queue {
 public:
  struct Waiter {
    FairQueue::Job job = nullptr;
    Amounts wants;
    Descriptor bell;
    FairQueue::Number number = 0;
    bool granted = false;
  };

  explicit Queue(const EngineBudget& budget) : whole_(WholeOf(budget)), line_(whole_) {}

  Amounts Of(const Limits& limits) const {
    Amounts amounts = {{limits.memory_bytes, limits.disk_bytes, limits.processes,
                        std::min(whole_.of[Amounts::kCpu], limits.processes * kOneCpu)}};
    // Limits below zero are refused by whoever runs; here they must not add to the budget meanwhile.
    for (int64_t& amount : amounts.of) amount = std::max<int64_t>(amount, 0);
    return amounts;
  }

  absl::Status CheckWhole(const Amounts& wants) const {
    const struct {
      const char* field;
      Amounts::Dimension dimension;
    } checks[] = {{"memory_bytes", Amounts::kMemory}, {"disk_bytes", Amounts::kDisk}, {"processes", Amounts::kProcesses}};
    for (const auto& check : checks) {
      const int64_t wanted = wants.of[check.dimension];
      const int64_t whole = whole_.of[check.dimension];
      if (wanted <= whole) continue;
      return absl::InvalidArgumentError(absl::StrCat("context.run_limits.", check.field, ": ", wanted,
                                                     " is more than the whole budget.", check.field, " of ", whole,
                                                     "; lower the limit or raise the budget"));
    }
    return absl::OkStatus();
  }

  void Enter(Waiter* waiter) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiter->number = line_.Enter(waiter->job, waiter->wants);
    waiters_[waiter->number] = waiter;
    GrantAll();
  }

  // As Enter, but only where the share is to be had at once.
  bool TryTake(Waiter* waiter) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (line_.waiting() > 0) return false;
    const FairQueue::Number number = line_.Enter(waiter->job, waiter->wants);
    if (line_.Next().has_value()) return true;
    line_.Leave(waiter->job, number);
    return false;
  }

  bool Granted(const Waiter& waiter) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return waiter.granted;
  }

  // Gives up the place; false when the share came first and is now the caller's.
  bool Leave(const Waiter& waiter) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (waiter.granted) return false;
    waiters_.erase(waiter.number);
    line_.Leave(waiter.job, waiter.number);
    GrantAll();  // those behind may fit
    return true;
  }

  void Return(FairQueue::Job job, const Amounts& amounts) {
    const std::lock_guard<std::mutex> lock(mutex_);
    line_.Return(job, amounts);
    GrantAll();
  }

  QueueStanding StandingOf(const Waiter& waiter) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const FairQueue::Standing standing = line_.StandingOf(waiter.job, waiter.number);
    QueueStanding out;
    out.admitted = waiter.granted;
    out.place = standing.ahead + 1;
    out.waiting = line_.waiting();
    out.short_of = NameOf(standing.lacking);
    out.lacking = standing.amount;
    return out;
  }

  size_t waiting() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return line_.waiting();
  }

 private:
  void GrantAll() {
    while (const std::optional<FairQueue::Number> number = line_.Next()) {
      const auto place = waiters_.find(*number);
      place->second->granted = true;
      const uint64_t one = 1;
      // Cannot block: the bell is rung once.
      [[maybe_unused]] const ssize_t ignored = ::write(place->second->bell.get(), &one, sizeof one);
      waiters_.erase(place);
    }
  }

  const Amounts whole_;
  std::mutex mutex_;
  FairQueue line_;
  std::map<FairQueue::Number, Waiter*> waiters_;  // each on the stack of the thread that waits
};

namespace {

// Sleeps until the bell, the cancellation or `most` has passed. A negative descriptor is one that poll passes over.
void Sleep(int bell, const Cancellation& cancellation, absl::Duration most) {
  pollfd sources[2] = {{bell, POLLIN, 0}, {cancellation.descriptor(), POLLIN, 0}};
  // Now and then, in case the cancellation has no descriptor.
  const absl::Duration longest = bell >= 0 ? kReportGap : kBlindGap;
  const absl::Duration time = std::clamp(most, absl::ZeroDuration(), longest);
  ::poll(sources, 2, static_cast<int>(absl::ToInt64Milliseconds(time + absl::Microseconds(999))));
}

// Tells the ticket's watch what is new.
class Reporter {
 public:
  explicit Reporter(const AdmissionTicket& ticket) : watch_(ticket.watch), begun_(Elapsed()) {}

  bool Due() const { return watch_ != nullptr && (!told_ || Elapsed() - told_at_ >= kReportGap); }

  void Waits(QueueStanding standing) {
    if (standing.admitted) return;
    if (told_ && standing.place == last_.place && standing.waiting == last_.waiting && standing.short_of == last_.short_of)
      return;
    last_ = standing;
    Tell(std::move(standing));
  }

  void Admitted() {
    if (!told_) return;
    QueueStanding standing;
    standing.admitted = true;
    Tell(std::move(standing));
  }

 private:
  static absl::Duration Elapsed() { return Clock::System().Elapsed(); }

  void Tell(QueueStanding standing) {
    told_ = true;
    told_at_ = Elapsed();
    standing.waited = told_at_ - begun_;
    watch_(standing);
  }

  const std::function<void(const QueueStanding&)>& watch_;
  const absl::Duration begun_;
  bool told_ = false;
  absl::Duration told_at_;
  QueueStanding last_;
};

class BudgetedSandbox : public Sandbox {
 public:
  BudgetedSandbox(const Sandbox& sandbox, const Budget& budget, AdmissionTicket ticket)
      : sandbox_(sandbox), budget_(budget), ticket_(std::move(ticket)) {}

  absl::StatusOr<SandboxResult> Run(const SandboxRequest& request, const Cancellation& cancellation) const override {
    const absl::StatusOr<Budget::Admission> admission = budget_.Admit(request.limits, ticket_, cancellation, request.deadline);
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
  const AdmissionTicket ticket_;
};

}  // namespace

Budget::Admission::Admission(std::shared_ptr<Queue> queue, FairQueue::Job job, const Amounts& amounts)
    : queue_(std::move(queue)), job_(job), amounts_(amounts) {}

Budget::Admission& Budget::Admission::operator=(Admission&& other) noexcept {
  std::swap(queue_, other.queue_);
  std::swap(job_, other.job_);
  std::swap(amounts_, other.amounts_);
  return *this;
}

Budget::Admission::~Admission() {
  if (queue_ != nullptr) queue_->Return(job_, amounts_);
}

Budget::Budget(const EngineBudget& budget) : queue_(std::make_shared<Queue>(budget)) {}

absl::StatusOr<Budget::Admission> Budget::Admit(const Limits& limits, const AdmissionTicket& ticket,
                                                const Cancellation& cancellation, absl::Time deadline) const {
  Queue::Waiter waiter;
  waiter.job = ticket.job;
  waiter.wants = queue_->Of(limits);
  if (absl::Status status = queue_->CheckWhole(waiter.wants); !status.ok()) return status;
  if (queue_->TryTake(&waiter)) return Admission(queue_, waiter.job, waiter.wants);

  // Invalid when descriptors are short: the wait is worth more than a bell.
  waiter.bell = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  Reporter reporter(ticket);
  queue_->Enter(&waiter);
  while (!queue_->Granted(waiter)) {
    const bool cancelled = cancellation.cancelled();
    const absl::Duration left = deadline - absl::Now();
    if (!cancelled && left > absl::ZeroDuration()) {
      if (reporter.Due()) reporter.Waits(queue_->StandingOf(waiter));
      Sleep(waiter.bell.get(), cancellation, left);
      continue;
    }
    const QueueStanding standing = queue_->StandingOf(waiter);
    if (!queue_->Leave(waiter)) break;
    const std::string what = absl::StrCat("while waiting for a share of the engine's budget: short of ", standing.short_of);
    if (cancelled) return absl::CancelledError(absl::StrCat("cancelled ", what));
    return absl::DeadlineExceededError(absl::StrCat("the deadline came ", what));
  }
  reporter.Admitted();
  return Admission(queue_, waiter.job, waiter.wants);
}

size_t Budget::waiting() const { return queue_->waiting(); }

std::unique_ptr<Sandbox> CreateBudgetedSandbox(const Sandbox& sandbox, const Budget& budget, AdmissionTicket ticket) {
  return std::make_unique<BudgetedSandbox>(sandbox, budget, std::move(ticket));
}

}  // namespace conclave
