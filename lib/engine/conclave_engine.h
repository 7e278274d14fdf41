// ConclaveEngine: the engine over real parts.
//
// Thread safety: every function may be called from any thread at any time.
// Ownership: owns every part.
#ifndef CONCLAVE_LIB_ENGINE_CONCLAVE_ENGINE_H_
#define CONCLAVE_LIB_ENGINE_CONCLAVE_ENGINE_H_

#include <memory>
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
#include "lib/sandbox/budget.h"
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
  absl::StatusOr<v1::Insight> Recall(const std::string& scope, const std::string& id) const override;
  std::vector<Finding> Examine() const override;

 private:
  ConclaveEngine() = default;

  absl::StatusOr<std::vector<DatasetPtr>> ReadAll(const google::protobuf::RepeatedPtrField<v1::DatasetSource>& sources,
                                                  const ResolvedContext& context, const Cancellation& cancellation,
                                                  EventStream& events) const;

  std::string guest_folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Sandbox> sandbox_;
  std::unique_ptr<Budget> budget_;
  std::unique_ptr<Sandbox> queued_sandbox_;  // for reading; programs are admitted before they are run, so that waiting shows
  std::unique_ptr<Reader> reader_;
  std::vector<std::unique_ptr<Runtime>> runtimes_;
  std::unique_ptr<ProgramRunner> runner_;
  std::vector<std::unique_ptr<Persona>> personas_;
  std::unique_ptr<Consensus> consensus_;
  std::unique_ptr<QuestionAnalyzer> analyzer_;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_ENGINE_CONCLAVE_ENGINE_H_
