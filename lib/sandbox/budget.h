// Budget: what all runs of an engine together may use. A run is admitted when its limits fit beside those of the runs already
// admitted; until then it waits its turn. Jobs take turns, so that one with many runs does not starve the others, and large
// runs are not starved by small ones: fair_queue.h has the rules.
//
// Thread safety: all functions may be called from any thread at any time. A thread that holds a share must not wait for
// another. Ownership: an admission holds its share until it is destroyed, also when the budget is destroyed before it.
//
//   absl::StatusOr<Budget::Admission> admission = budget.Admit(request.limits, ticket, cancellation, request.deadline);
//   if (!admission.ok()) return admission.status();
//   return sandbox.Run(request, cancellation);
#ifndef CONCLAVE_LIB_SANDBOX_BUDGET_H_
#define CONCLAVE_LIB_SANDBOX_BUDGET_H_

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conclave/cancellation.h"
#include "conclave/sandbox.h"
#include "lib/sandbox/admission_ticket.h"
#include "lib/sandbox/fair_queue.h"

namespace conclave {

class Budget {
 public:
  class Queue;

  // A share of the budget.
  class Admission {
   public:
    Admission(Admission&& other) noexcept = default;
    Admission& operator=(Admission&& other) noexcept;
    ~Admission();

   private:
    friend class Budget;
    Admission(std::shared_ptr<Queue> queue, FairQueue::Job job, const Amounts& amounts);
    std::shared_ptr<Queue> queue_;
    FairQueue::Job job_;
    Amounts amounts_;
  };

  // `cpus` 0 stands for what the machine has. A run counts as one CPU for each process it may have, at most all of them.
  explicit Budget(const EngineBudget& budget);

  // Waits for a share as large as `limits`. InvalidArgument at once, naming the field, when the whole budget is smaller;
  // Cancelled and DeadlineExceeded, saying what was lacking, when those come before the share.
  absl::StatusOr<Admission> Admit(const Limits& limits, const AdmissionTicket& ticket, const Cancellation& cancellation,
                                  absl::Time deadline) const;

  // Runs that wait right now.
  size_t waiting() const;

 private:
  std::shared_ptr<Queue> queue_;
};

// A sandbox whose runs wait, as `ticket` says, for their share of `budget`. A run that is cancelled, or whose deadline comes,
// while it waits ends with that reason. Borrows sandbox and budget for its lifetime.
std::unique_ptr<Sandbox> CreateBudgetedSandbox(const Sandbox& sandbox, const Budget& budget, AdmissionTicket ticket);

}  // namespace conclave

#endif  // CONCLAVE_LIB_SANDBOX_BUDGET_H_
