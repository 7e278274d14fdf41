#include "lib/analyzer/program_runner.h"

#include <algorithm>
#include <string>

#include "lib/analyzer/queue_events.h"

namespace conclave {

absl::StatusOr<v1::Execution> ProgramRunner::Run(const v1::Program& program, const std::vector<DatasetPtr>& datasets,
                                                 const ResolvedContext& context, const Cancellation& cancellation,
                                                 EventStream& events) const {
  absl::StatusOr<v1::Execution> execution = Admitted(program, datasets, context, cancellation, events);
  if (!execution.ok()) {
    events.Emit({"run", program.persona(), "failed", std::string(execution.status().message()), {}});
    return execution;
  }
  const bool erred = execution->answer().kind() == v1::ERROR;
  const bool good = execution->end_reason() == v1::OK && !erred;
  const std::string& why_not = erred ? execution->answer().error().message() : execution->detail();
  events.Emit({"run",
               program.persona(),
               good ? "finished" : "failed",
               good ? "" : why_not,
               {{"wall_us", execution->usage().wall_us()}, {"memory_peak_bytes", execution->usage().memory_peak_bytes()}}});
  return execution;
}

absl::StatusOr<v1::Execution> ProgramRunner::Admitted(const v1::Program& program, const std::vector<DatasetPtr>& datasets,
                                                      const ResolvedContext& context, const Cancellation& cancellation,
                                                      EventStream& events) const {
  const auto runtime = std::find_if(runtimes_.begin(), runtimes_.end(),
                                    [&](const Runtime* candidate) { return candidate->language() == program.language(); });
  if (runtime == runtimes_.end()) return absl::UnimplementedError("no runtime for this language");
  events.Emit({"queue", program.persona(), "started", "", {}});
  const absl::StatusOr<std::shared_ptr<void>> admission =
      admit_(context.run_limits, TicketOf(events, program.persona()), cancellation, context.deadline);
  if (!admission.ok()) return admission.status();
  events.Emit({"run", program.persona(), "started", "", {}});
  RunOptions options;
  options.limits = context.run_limits;
  options.deadline = context.deadline;
  options.seed = context.context.seed();
  options.time_zone = context.context.time_zone();
  return (*runtime)->Run(program, datasets, options, cancellation);
}

}  // namespace conclave
