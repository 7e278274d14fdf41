// Job: one piece of work on a thread of its own, and a descriptor that tells when it has ended.
//
// Thread safety: of JobWork, Wait, Cancel, descriptor and Outcome may be called from any thread; the rest by one thread at a
// time.
// Ownership: owned by the caller of the C interface; keeps the engine's core alive.
#ifndef CONCLAVE_CAPI_JOB_H_
#define CONCLAVE_CAPI_JOB_H_

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "capi/boundary.h"
#include "capi/core.h"
#include "capi/result.h"
#include "conclave/cancellation.h"
#include "conclave/v1/job.pb.h"
#include "lib/base/descriptor.h"
#include "lib/base/worker.h"

namespace conclave::capi {

// What the thread of a job works on. Held by that thread and by the handle, so that either may go first.
class JobWork {
 public:
  using Request = std::variant<v1::AnalysisJob, v1::ExecutionJob, v1::ProfileJob>;
  using Product = std::variant<v1::Insight, v1::Execution, v1::ProfileList>;

  // ResourceExhausted when the process may open no more descriptors.
  static absl::StatusOr<std::shared_ptr<JobWork>> Make(std::shared_ptr<Core> core, Request request);

  absl::Status OnEvent(Callback<conclave_event_fn> callback);
  // FailedPrecondition when it was called before.
  absl::Status Begin();
  // Takes a beginning back that came to nothing.
  void TakeBack();
  void Run();

  absl::Status Wait(int64_t timeout_ms) const;
  int descriptor() const { return ended_event_.get(); }
  void Cancel() const { cancellation_.Cancel(); }
  // No event is told from now on, but for one that is being told.
  void Silence() { silent_.store(true); }
  absl::StatusOr<Product> Outcome() const;
  const Core& core() const { return *core_; }

 private:
  JobWork(std::shared_ptr<Core> core, Request request) : core_(std::move(core)), request_(std::move(request)) {}

  absl::StatusOr<Product> Carry(const EventSink& sink) const;
  void Notify(const v1::Event& event) const;

  const std::shared_ptr<Core> core_;
  const Request request_;
  const CancellationSource cancellation_;
  Descriptor ended_event_;
  Callback<conclave_event_fn> callback_;
  std::atomic<bool> silent_{false};

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool submitted_ = false;
  bool ended_ = false;
  absl::StatusOr<Product> product_ = absl::FailedPreconditionError("the job has not ended: wait for it first");
};

}  // namespace conclave::capi

// The handle. Destroying it cancels the job and waits for its end; within a callback, where that could wait for itself, it only
// cancels, and the job ends on its own.
struct conclave_job {
  explicit conclave_job(std::shared_ptr<conclave::capi::JobWork> job_work) : work(std::move(job_work)) {}
  ~conclave_job();

  absl::Status Submit();

  const std::shared_ptr<conclave::capi::JobWork> work;
  std::optional<conclave::Worker> worker;
};

#endif  // CONCLAVE_CAPI_JOB_H_
