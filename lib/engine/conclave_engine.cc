#include "lib/engine/conclave_engine.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"
#include "lib/base/digest.h"
#include "lib/consensus/quorum_consensus.h"
#include "lib/engine/examination.h"
#include "lib/engine/guest_folder.h"
#include "lib/persona/offline_persona.h"
#include "lib/runtime/python_runtime.h"
#include "lib/runtime/sql_runtime.h"
#include "lib/sandbox/process_sandbox.h"

namespace conclave {
namespace {

std::string TemporaryFolder() {
  const char* named = ::secure_getenv("TMPDIR");
  return named == nullptr || *named == '\0' ? "/tmp" : named;
}

v1::Program ProgramOf(const v1::ExecutionJob& job) {
  v1::Program program;
  program.set_language(job.language());
  program.set_code(job.code());
  program.set_id(Digest(absl::StrCat(static_cast<int>(job.language()), "\n", job.code())));
  return program;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(const EngineOptions& options) {
  absl::StatusOr<std::unique_ptr<ConclaveEngine>> engine = ConclaveEngine::Make(options);
  if (!engine.ok()) return engine.status();
  return std::unique_ptr<Engine>(*std::move(engine));
}

absl::StatusOr<std::unique_ptr<ConclaveEngine>> ConclaveEngine::Make(const EngineOptions& options) {
  auto engine = std::unique_ptr<ConclaveEngine>(new ConclaveEngine());
  absl::StatusOr<std::string> guests = FindGuestFolder(options.guest_folder);
  if (!guests.ok()) return guests.status();
  engine->guest_folder_ = *std::move(guests);

  StoreOptions store_options;
  store_options.folder = options.store_folder;
  store_options.temporary_folder = TemporaryFolder();
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(store_options);
  if (!store.ok()) return store.status();
  engine->store_ = *std::move(store);

  absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox(ProcessSandboxOptions());
  if (!sandbox.ok()) return sandbox.status();
  engine->sandbox_ = *std::move(sandbox);
  engine->budget_ = std::make_unique<Budget>(options.budget);
  engine->queued_sandbox_ = CreateBudgetedSandbox(*engine->sandbox_, *engine->budget_);
  ReaderOptions reader_options;
  reader_options.guest_folder = engine->guest_folder_;
  reader_options.source.temporary_folder = store_options.temporary_folder;
  engine->reader_ = std::make_unique<Reader>(*engine->queued_sandbox_, &engine->store_->shelf(), reader_options);

  PythonRuntimeOptions python;
  python.interpreter = options.python;
  engine->runtimes_.push_back(CreateSqlRuntime(*engine->sandbox_, engine->guest_folder_));
  engine->runtimes_.push_back(CreatePythonRuntime(*engine->sandbox_, python));
  AdmitRun admit = [self = engine.get()](const Limits& limits, const Cancellation& cancellation,
                                         absl::Time deadline) -> absl::StatusOr<std::shared_ptr<void>> {
    absl::StatusOr<Budget::Admission> admission = self->budget_->Admit(limits, cancellation, deadline);
    if (!admission.ok()) return admission.status();
    return std::make_shared<Budget::Admission>(*std::move(admission));
  };
  std::vector<const Runtime*> runtimes;
  for (const auto& runtime : engine->runtimes_) runtimes.push_back(runtime.get());
  engine->runner_ = std::make_unique<ProgramRunner>(std::move(admit), std::move(runtimes));
  engine->personas_.push_back(CreateOfflinePersona(v1::SQL));
  engine->personas_.push_back(CreateOfflinePersona(v1::PYTHON));
  engine->consensus_ = std::make_unique<QuorumConsensus>();

  AnalyzerParts parts;
  parts.read = [self = engine.get()](const auto& sources, const ResolvedContext& context, const Cancellation& cancellation,
                                     EventStream& events) { return self->ReadAll(sources, context, cancellation, events); };
  parts.runner = engine->runner_.get();
  for (const auto& persona : engine->personas_) parts.personas.push_back(persona.get());
  parts.consensus = engine->consensus_.get();
  parts.ledger = &engine->store_->ledger();
  parts.clock = &Clock::System();
  engine->analyzer_ = std::make_unique<QuestionAnalyzer>(std::move(parts));
  return engine;
}

absl::StatusOr<v1::Insight> ConclaveEngine::Analyze(const v1::AnalysisJob& job, const Cancellation& cancellation,
                                                    const EventSink& sink) const {
  return analyzer_->Analyze(job, cancellation, sink);
}

absl::StatusOr<std::vector<v1::Profile>> ConclaveEngine::Profile(const v1::ProfileJob& job, const Cancellation& cancellation,
                                                                 const EventSink& sink) const {
  if (absl::Status status = CheckProfileJob(job); !status.ok()) return status;
  absl::StatusOr<ResolvedContext> context = ResolveContext(job.context(), Clock::System().Now());
  if (!context.ok()) return context.status();
  EventStream events(Clock::System(), sink);
  absl::StatusOr<std::vector<DatasetPtr>> datasets = ReadAll(job.datasets(), *context, cancellation, events);
  if (!datasets.ok()) return datasets.status();
  std::vector<v1::Profile> profiles;
  for (const DatasetPtr& dataset : *datasets) profiles.push_back(dataset->profile());
  events.Emit({"done", "", "finished", "", {}});
  return profiles;
}

absl::StatusOr<v1::Execution> ConclaveEngine::Execute(const v1::ExecutionJob& job, const Cancellation& cancellation,
                                                      const EventSink& sink) const {
  if (absl::Status status = CheckExecutionJob(job); !status.ok()) return status;
  const Clock& clock = Clock::System();
  absl::StatusOr<ResolvedContext> context = ResolveContext(job.context(), clock.Now());
  if (!context.ok()) return context.status();
  EventStream events(clock, sink);
  const std::string& scope = context->context.scope();
  absl::StatusOr<std::string> id = store_->ledger().Begin(scope, job, clock.Now());
  if (!id.ok()) return id.status();

  const v1::Program program = ProgramOf(job);
  absl::StatusOr<std::vector<DatasetPtr>> datasets = ReadAll(job.datasets(), *context, cancellation, events);
  absl::StatusOr<v1::Execution> execution = datasets.ok() ? runner_->Run(program, *datasets, *context, cancellation, events)
                                                          : absl::StatusOr<v1::Execution>(datasets.status());
  if (execution.ok() && cancellation.cancelled()) execution = absl::CancelledError("the job was cancelled");
  const absl::Status recorded = execution.ok() ? store_->ledger().Finish(scope, *id, program, *execution, clock.Now())
                                               : store_->ledger().Abandon(scope, *id, execution.status(), clock.Now());
  // The result stands even where it could not be written down; the caller is told.
  if (!recorded.ok()) events.Emit({"record", "", "failed", std::string(recorded.message()), {}});
  events.Emit({"done", "", execution.ok() ? "finished" : "failed", "", {}});
  return execution;
}

absl::StatusOr<std::vector<DatasetPtr>> ConclaveEngine::ReadAll(
    const google::protobuf::RepeatedPtrField<v1::DatasetSource>& sources, const ResolvedContext& context,
    const Cancellation& cancellation, EventStream& events) const {
  ReadOptions options;
  options.scope = context.context.scope();
  options.limits = context.run_limits;
  options.deadline = context.deadline;
  TableNames names;
  std::vector<DatasetPtr> datasets;
  for (int i = 0; i < sources.size(); ++i) {
    const std::string place = absl::StrCat("datasets[", i, "]");
    events.Emit({"read", "", "started", sources[i].name().empty() ? sources[i].path() : sources[i].name(), {}});
    absl::StatusOr<DatasetPtr> dataset = reader_->Read(sources[i], place, options, &names, cancellation);
    if (!dataset.ok()) {
      events.Emit({"read", "", "failed", std::string(dataset.status().message()), {}});
      return dataset.status();
    }
    const v1::Profile& profile = (*dataset)->profile();
    events.Emit({"read", "", "finished", profile.source(), {{"rows", profile.rows()}, {"columns", profile.columns_size()}}});
    datasets.push_back(*std::move(dataset));
  }
  return datasets;
}

absl::StatusOr<v1::Insight> ConclaveEngine::Recall(const std::string& scope, const std::string& id) const {
  return store_->ledger().Recall(scope.empty() ? "default" : scope, id);
}

std::vector<Finding> ConclaveEngine::Examine() const {
  std::vector<Finding> findings = ExamineSandbox(*sandbox_);
  findings.push_back({"guest programs", true, guest_folder_});
  for (const auto& runtime : runtimes_) {
    findings.push_back(ExamineRuntime(*runtime, runtime->language() == v1::SQL ? "sql" : "python"));
  }
  findings.push_back({"store", true, absl::StrCat(store_->folder(), store_->temporary() ? " (temporary)" : "")});
  return findings;
}

}  // namespace conclave
