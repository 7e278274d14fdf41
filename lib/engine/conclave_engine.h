// ConclaveEngine: the engine over real parts.
//
// Thread safety: every function may be called from any thread at any time.
// Ownership: owns every part.
#ifndef CONCLAVE_LIB_ENGINE_CONCLAVE_ENGINE_H_
#define CONCLAVE_LIB_ENGINE_CONCLAVE_ENGINE_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conclave/consensus.h"
#include "conclave/engine.h"
#include "conclave/persona.h"
#include "conclave/runtime.h"
#include "conclave/sandbox.h"
#include "lib/analyzer/question_analyzer.h"
#include "lib/dataset/reader.h"
#include "lib/engine/guest_folder.h"
#include "lib/sandbox/budget.h"
#include "lib/sandbox/process_sandbox.h"
#include "lib/store/store.h"

namespace conclave {

class ConclaveEngine : public Engine {
 public:
  static absl::StatusOr<std::unique_ptr<ConclaveEngine>> Make(const EngineOptions& options);

  absl::StatusOr<v1::Insight> Analyze(const v1::AnalysisJob& job, const Cancellation& cancellation,
                                      const EventSink& sink) const override;
  absl::StatusOr<std::vector<v1::Profile>> Profile(const v1::ProfileJob& job, const Cancellation& cancellation,
                                                   const EventSink& sink) const override;
  absl::StatusOr<v1::Execution> Execute(const v1::ExecutionJob& job, const Cancellation& cancellation,
                                        const EventSink& sink) const override;
  absl::Status AddModel(std::shared_ptr<const Model> model) override;
  absl::StatusOr<v1::Insight> Recall(const std::string& scope, const std::string& id) const override;
  std::vector<Finding> Examine() const override;

 private:
  ConclaveEngine() = default;

  // What jobs need and an engine that has none yet does not: made for the first one, so that making an engine is cheap.
  struct Desk {
    std::unique_ptr<Store> store;
    ReaderOptions reader_options;
    std::unique_ptr<QuestionAnalyzer> analyzer;
  };
  // The same desk for every job, unless its temporary folder was removed by others: then a new one, while jobs that have the
  // old one keep it. When it cannot be had, the next call tries again.
  absl::StatusOr<std::shared_ptr<const Desk>> OpenDesk() const;
  absl::StatusOr<std::unique_ptr<Desk>> MakeDesk() const;
  // Every source of the job that `events` is of, in order; its guests wait for their share of the budget as its programs do.
  absl::StatusOr<std::vector<DatasetPtr>> ReadSources(const Desk& desk,
                                                      const google::protobuf::RepeatedPtrField<v1::DatasetSource>& sources,
                                                      const ResolvedContext& context, const Cancellation& cancellation,
                                                      EventStream& events) const;

  GuestFolder guests_;
  StoreOptions store_options_;
  int64_t streamed_bytes_ = 0;
  ProcessSandboxOptions sandbox_options_;
  std::unique_ptr<Sandbox> sandbox_;
  std::unique_ptr<Budget> budget_;
  std::vector<std::unique_ptr<Runtime>> runtimes_;
  std::unique_ptr<ProgramRunner> runner_;
  mutable std::mutex panel_mutex_;
  std::vector<PersonaPtr> panel_;
  std::unique_ptr<Consensus> consensus_;
  mutable std::mutex desk_mutex_;
  mutable std::shared_ptr<const Desk> desk_;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_ENGINE_CONCLAVE_ENGINE_H_
