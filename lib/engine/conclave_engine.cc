#include "lib/engine/conclave_engine.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/analyzer/queue_events.h"
#include "lib/base/clock.h"
#include "lib/base/program_id.h"
#include "lib/consensus/quorum_consensus.h"
#include "lib/engine/examination.h"
#include "lib/engine/guest_folder.h"
#include "lib/engine/odd_paths.h"
#include "lib/persona/model_persona.h"
#include "lib/persona/offline_persona.h"
#include "lib/runtime/python_runtime.h"
#include "lib/runtime/sql_runtime.h"
#include "lib/sandbox/isolation_facts.h"
#include "lib/sandbox/layers.h"

namespace conclave {
namespace {

// Said once, so that a host that changes its working folder does not move what is ours. Empty stays empty.
std::string Absolute(const std::string& folder) {
  if (folder.empty()) return folder;
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::absolute(folder, failed);
  return failed ? folder : path.string();
}

v1::Program ProgramOf(const v1::ExecutionJob& job) {
  v1::Program program;
  program.set_language(job.language());
  program.set_code(job.code());
  program.set_id(ProgramId(program));
  return program;
}

absl::StatusOr<std::vector<DatasetPtr>> ReadEach(const Reader& reader,
                                                 const google::protobuf::RepeatedPtrField<v1::DatasetSource>& sources,
                                                 const ResolvedContext& context, const Cancellation& cancellation,
                                                 EventStream& events) {
  ReadOptions options;
  options.scope = context.context.scope();
  options.limits = context.run_limits;
  options.deadline = context.deadline;
  TableNames names;
  std::vector<DatasetPtr> datasets;
  for (int i = 0; i < sources.size(); ++i) {
    const std::string place = absl::StrCat("datasets[", i, "]");
    events.Emit({"read", "", "started", sources[i].name().empty() ? sources[i].path() : sources[i].name(), {}});
    absl::StatusOr<DatasetPtr> dataset = reader.Read(sources[i], place, options, &names, cancellation);
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

template <typename Job, typename Work>
auto WithOddPathsOpened(Job job, const Work& work) -> decltype(work(job)) {
  std::vector<Descriptor> held;
  if (absl::Status status = OpenOddPaths(job.mutable_datasets(), &held); !status.ok()) return status;
  return work(job);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(const EngineOptions& options) {
  absl::StatusOr<std::unique_ptr<ConclaveEngine>> engine = ConclaveEngine::Make(options);
  if (!engine.ok()) return engine.status();
  return std::unique_ptr<Engine>(*std::move(engine));
}

absl::StatusOr<std::unique_ptr<ConclaveEngine>> ConclaveEngine::Make(const EngineOptions& options) {
  if (absl::Status status = CheckIsolation(options.isolation); !status.ok()) return status;
  auto engine = std::unique_ptr<ConclaveEngine>(new ConclaveEngine());
  absl::StatusOr<GuestFolder> guests = FindGuestFolder(options.guest_folder);
  if (!guests.ok()) return guests.status();
  engine->guests_ = *std::move(guests);

  engine->store_options_.folder = Absolute(options.store_folder);
  engine->store_options_.temporary_folder = ChosenTemporaryFolder();

  ProcessSandboxOptions& sandbox_options = engine->sandbox_options_;
  sandbox_options.supervisor_path = FindSupervisor(engine->guests_.path);
  sandbox_options.temporary_folder = FolderForRuns(engine->store_options_.temporary_folder);
  sandbox_options.isolation = options.isolation;
  absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox(sandbox_options);
  if (!sandbox.ok()) return sandbox.status();
  engine->sandbox_ = *std::move(sandbox);
  engine->budget_ = std::make_unique<Budget>(options.budget);
  engine->streamed_bytes_ = options.budget.disk_bytes;
  PythonRuntimeOptions python;
  python.interpreter = options.python;
  engine->runtimes_.push_back(CreateSqlRuntime(*engine->sandbox_, engine->guests_.path));
  engine->runtimes_.push_back(CreatePythonRuntime(*engine->sandbox_, python));
  AdmitRun admit = [self = engine.get()](const Limits& limits, const AdmissionTicket& ticket, const Cancellation& cancellation,
                                         absl::Time deadline) -> absl::StatusOr<std::shared_ptr<void>> {
    absl::StatusOr<Budget::Admission> admission = self->budget_->Admit(limits, ticket, cancellation, deadline);
    if (!admission.ok()) return admission.status();
    return std::make_shared<Budget::Admission>(*std::move(admission));
  };
  std::vector<const Runtime*> runtimes;
  for (const auto& runtime : engine->runtimes_) runtimes.push_back(runtime.get());
  engine->runner_ = std::make_unique<ProgramRunner>(std::move(admit), std::move(runtimes));
  engine->panel_.push_back(CreateOfflinePersona(v1::SQL));
  engine->panel_.push_back(CreateOfflinePersona(v1::PYTHON));
  engine->consensus_ = std::make_unique<QuorumConsensus>();

  // A folder that was named is looked at now, so that who named it hears of it.
  if (!options.store_folder.empty()) {
    if (absl::Status status = engine->OpenDesk().status(); !status.ok()) return status;
  }
  return engine;
}

absl::StatusOr<std::shared_ptr<const ConclaveEngine::Desk>> ConclaveEngine::OpenDesk() const {
  const std::lock_guard lock(desk_mutex_);
  const bool lost = desk_ != nullptr && desk_->store->temporary() && !desk_->store->InPlace();
  if (desk_ == nullptr || lost) {
    absl::StatusOr<std::unique_ptr<Desk>> desk = MakeDesk();
    if (!desk.ok()) return desk.status();
    desk_ = *std::move(desk);
  }
  return desk_;
}

absl::StatusOr<std::unique_ptr<ConclaveEngine::Desk>> ConclaveEngine::MakeDesk() const {
  auto desk = std::make_unique<Desk>();
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(store_options_);
  if (!store.ok()) return store.status();
  desk->store = *std::move(store);

  desk->reader_options.guest_folder = guests_.path;
  desk->reader_options.source.temporary_folder = store_options_.temporary_folder;
  desk->reader_options.source.streamed_bytes = streamed_bytes_;

  AnalyzerParts parts;
  parts.read = [this, own = desk.get()](const auto& sources, const ResolvedContext& context, const Cancellation& cancellation,
                                        EventStream& events) {
    return ReadSources(*own, sources, context, cancellation, events);
  };
  parts.runner = runner_.get();
  parts.panel = [this] {
    const std::lock_guard lock(panel_mutex_);
    return panel_;
  };
  parts.consensus = consensus_.get();
  parts.ledger = &desk->store->ledger();
  parts.clock = &Clock::System();
  desk->analyzer = std::make_unique<QuestionAnalyzer>(std::move(parts));
  return desk;
}

absl::StatusOr<std::vector<DatasetPtr>> ConclaveEngine::ReadSources(
    const Desk& desk, const google::protobuf::RepeatedPtrField<v1::DatasetSource>& sources, const ResolvedContext& context,
    const Cancellation& cancellation, EventStream& events) const {
  const std::unique_ptr<Sandbox> queued = CreateBudgetedSandbox(*sandbox_, *budget_, TicketOf(events, ""));
  const Reader reader(*queued, &desk.store->shelf(), desk.reader_options);
  return ReadEach(reader, sources, context, cancellation, events);
}

absl::StatusOr<v1::Insight> ConclaveEngine::Analyze(const v1::AnalysisJob& job, const Cancellation& cancellation,
                                                    const EventSink& sink) const {
  if (HasOddPaths(job.datasets())) {
    return WithOddPathsOpened(job, [&](const v1::AnalysisJob& opened) { return Analyze(opened, cancellation, sink); });
  }
  absl::StatusOr<std::shared_ptr<const Desk>> desk = OpenDesk();
  if (!desk.ok()) return desk.status();
  return (*desk)->analyzer->Analyze(job, cancellation, sink);
}

absl::StatusOr<std::vector<v1::Profile>> ConclaveEngine::Profile(const v1::ProfileJob& job, const Cancellation& cancellation,
                                                                 const EventSink& sink) const {
  if (HasOddPaths(job.datasets())) {
    return WithOddPathsOpened(job, [&](const v1::ProfileJob& opened) { return Profile(opened, cancellation, sink); });
  }
  if (absl::Status status = CheckProfileJob(job); !status.ok()) return status;
  absl::StatusOr<ResolvedContext> context = ResolveContext(job.context(), Clock::System().Now());
  if (!context.ok()) return context.status();
  EventStream events(Clock::System(), sink);
  absl::StatusOr<std::shared_ptr<const Desk>> desk = OpenDesk();
  if (!desk.ok()) return desk.status();
  absl::StatusOr<std::vector<DatasetPtr>> datasets = ReadSources(**desk, job.datasets(), *context, cancellation, events);
  events.Emit({"done", "", datasets.ok() ? "finished" : "failed", "", {}});
  if (!datasets.ok()) return datasets.status();
  std::vector<v1::Profile> profiles;
  for (const DatasetPtr& dataset : *datasets) profiles.push_back(dataset->profile());
  return profiles;
}

absl::StatusOr<v1::Execution> ConclaveEngine::Execute(const v1::ExecutionJob& job, const Cancellation& cancellation,
                                                      const EventSink& sink) const {
  if (HasOddPaths(job.datasets())) {
    return WithOddPathsOpened(job, [&](const v1::ExecutionJob& opened) { return Execute(opened, cancellation, sink); });
  }
  if (absl::Status status = CheckExecutionJob(job); !status.ok()) return status;
  const Clock& clock = Clock::System();
  absl::StatusOr<ResolvedContext> context = ResolveContext(job.context(), clock.Now());
  if (!context.ok()) return context.status();
  EventStream events(clock, sink);
  const std::string& scope = context->context.scope();
  absl::StatusOr<std::shared_ptr<const Desk>> desk = OpenDesk();
  if (!desk.ok()) return desk.status();
  Ledger& ledger = (*desk)->store->ledger();
  absl::StatusOr<std::string> id = ledger.Begin(scope, job, clock.Now());
  if (!id.ok()) return id.status();

  const v1::Program program = ProgramOf(job);
  absl::StatusOr<std::vector<DatasetPtr>> datasets = ReadSources(**desk, job.datasets(), *context, cancellation, events);
  absl::StatusOr<v1::Execution> execution = datasets.ok() ? runner_->Run(program, *datasets, *context, cancellation, events)
                                                          : absl::StatusOr<v1::Execution>(datasets.status());
  if (execution.ok() && cancellation.cancelled()) execution = absl::CancelledError("the job was cancelled");
  const absl::Status recorded = execution.ok() ? ledger.Finish(scope, *id, program, *execution, clock.Now())
                                               : ledger.Abandon(scope, *id, execution.status(), clock.Now());
  // The result stands even where it could not be written down; the caller is told.
  if (!recorded.ok()) events.Emit({"record", "", "failed", std::string(recorded.message()), {}});
  events.Emit({"done", "", execution.ok() ? "finished" : "failed", "", {}});
  return execution;
}

absl::Status ConclaveEngine::AddModel(std::shared_ptr<const Model> model) {
  if (model->lineage() == kOfflineLineage) {
    return absl::InvalidArgumentError(absl::StrCat(
        "family: \"", kOfflineLineage, "\" is the analyst that comes with Conclave: name the family that wrote the model"));
  }
  std::vector<PersonaPtr> personas = {CreateModelPersona(model, v1::SQL), CreateModelPersona(model, v1::PYTHON)};
  const std::lock_guard lock(panel_mutex_);
  for (const PersonaPtr& persona : personas) {
    for (const PersonaPtr& known : panel_) {
      if (known->name() == persona->name()) {
        return absl::AlreadyExistsError(
            absl::StrCat("name: there is a persona ", persona->name(), ": add the model under another name"));
      }
    }
  }
  panel_.insert(panel_.end(), personas.begin(), personas.end());
  return absl::OkStatus();
}

absl::StatusOr<v1::Insight> ConclaveEngine::Recall(const std::string& scope, const std::string& id) const {
  absl::StatusOr<std::shared_ptr<const Desk>> desk = OpenDesk();
  if (!desk.ok()) return desk.status();
  return (*desk)->store->ledger().Recall(scope.empty() ? "default" : scope, id);
}

std::vector<Finding> ConclaveEngine::Examine() const {
  std::vector<Finding> findings = ExamineSandbox(sandbox_options_.isolation, ProbeWith(sandbox_options_), ReadIsolationFacts());
  findings.push_back(ExamineTemporaryFolder(store_options_.temporary_folder));
  findings.push_back(ExamineLibrary());
  findings.push_back(ExamineGuests(*sandbox_, guests_));
  for (const auto& runtime : runtimes_) {
    findings.push_back(ExamineRuntime(*runtime, runtime->language() == v1::SQL ? "sql" : "python"));
  }
  {
    const std::lock_guard lock(panel_mutex_);
    findings.push_back(ExaminePanel(panel_));
  }
  absl::StatusOr<std::shared_ptr<const Desk>> desk = OpenDesk();
  findings.push_back({"store", desk.ok(),
                      desk.ok() ? absl::StrCat((*desk)->store->folder(), (*desk)->store->temporary() ? " (temporary)" : "")
                                : std::string(desk.status().message())});
  return findings;
}

}  // namespace conclave
