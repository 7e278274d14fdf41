// ProgramRunner: runs one program of a job. Waits for room in the engine's budget, runs it in its language under the job's
// limits, and tells the events of it.
//
// Thread safety: const functions may run concurrently.
// Ownership: borrows the runtimes, which must outlive it.
#ifndef CONCLAVE_LIB_ANALYZER_PROGRAM_RUNNER_H_
#define CONCLAVE_LIB_ANALYZER_PROGRAM_RUNNER_H_

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "conclave/dataset.h"
#include "conclave/runtime.h"
#include "lib/analyzer/event_stream.h"
#include "lib/analyzer/job_context.h"
#include "lib/sandbox/admission_ticket.h"

namespace conclave {

// Waits until the engine's budget has room for a run; the room is given back when the result is destroyed.
using AdmitRun = std::function<absl::StatusOr<std::shared_ptr<void>>(const Limits& limits, const AdmissionTicket& ticket,
                                                                     const Cancellation& cancellation, absl::Time deadline)>;

class ProgramRunner {
 public:
  // At most one runtime a language.
  ProgramRunner(AdmitRun admit, std::vector<const Runtime*> runtimes)
      : admit_(std::move(admit)), runtimes_(std::move(runtimes)) {}

  // As Runtime::Run; also Unimplemented when no runtime knows the language, and what admission says. The last event, under the
  // program's persona, is always "run" finished or failed. Before it come "queue" started where a runtime knows the language,
  // those of a wait (queue_events.h), and "run" started where the run was admitted.
  absl::StatusOr<v1::Execution> Run(const v1::Program& program, const std::vector<DatasetPtr>& datasets,
                                    const ResolvedContext& context, const Cancellation& cancellation,
                                    EventStream& events) const;

 private:
  absl::StatusOr<v1::Execution> Admitted(const v1::Program& program, const std::vector<DatasetPtr>& datasets,
                                         const ResolvedContext& context, const Cancellation& cancellation,
                                         EventStream& events) const;

  AdmitRun admit_;
  std::vector<const Runtime*> runtimes_;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANALYZER_PROGRAM_RUNNER_H_
