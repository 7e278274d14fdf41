// Budget: what all runs of an engine together may use. A run is admitted when its limits fit beside those of the runs already
// admitted; until then it waits in a queue, first come first served, so that a large run is not starved by small ones.
//
// Thread safety: all functions may be called from any thread at any time.
// Ownership: an admission holds its share until it is destroyed, also when the budget is destroyed before it.
//
//   absl::StatusOr<Budget::Admission> admission = budget.Admit(request.limits, cancellation, request.deadline);
//   if (!admission.ok()) return admission.status();
//   return sandbox.Run(request, cancellation);
#ifndef CONCLAVE_LIB_SANDBOX_BUDGET_H_
#define CONCLAVE_LIB_SANDBOX_BUDGET_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conclave/cancellation.h"
#include "conclave/sandbox.h"

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
    Admission(std::shared_ptr<Queue> queue, const Limits& limits) : queue_(std::move(queue)), limits_(limits) {}
    std::shared_ptr<Queue> queue_;
    Limits limits_;
  };

  // `cpus` 0 stands for what the machine has. A run counts as one CPU for each process it may have, at most all of them.
  explicit Budget(const EngineBudget& budget);

  // Waits for a share as large as `limits`. InvalidArgument at once, naming the field, when the whole budget is smaller;
  // Cancelled and DeadlineExceeded when those come before the share.
  absl::StatusOr<Admission> Admit(const Limits& limits, const Cancellation& cancellation, absl::Time deadline) const;

  // Runs that wait right now.
  size_t waiting() const;

 private:
  std::shared_ptr<Queue> queue_;
};

// A sandbox whose runs wait for their share of `budget`. A run that is cancelled, or whose deadline comes, while it waits ends
// with that reason. Borrows both for its lifetime.
std::unique_ptr<Sandbox> CreateBudgetedSandbox(const Sandbox& sandbox, const Budget& budget);

}  // namespace conclave

#endif  // CONCLAVE_LIB_SANDBOX_BUDGET_H_
