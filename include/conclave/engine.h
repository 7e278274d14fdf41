// Engine: the whole library behind one object. Wires sandbox, runtimes, personas, consensus and store together.
//
// Thread safety: every function may be called from any thread at any time.
// Ownership: the engine owns everything it makes; datasets it returns may outlive it.
//
//   absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Create(EngineOptions());
//   v1::AnalysisJob job;
//   job.set_question("What is the mean fare?");
//   job.add_datasets()->set_path("titanic.csv");
//   absl::StatusOr<v1::Insight> insight = (*engine)->Analyze(job, Cancellation(), nullptr);
#ifndef CONCLAVE_ENGINE_H_
#define CONCLAVE_ENGINE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conclave/analyzer.h"
#include "conclave/model.h"
#include "conclave/sandbox.h"

namespace conclave {

struct EngineOptions {
  // Folder for column stores, artifacts and the ledger. Empty: a private temporary folder that goes with the engine.
  std::string store_folder;
  // Folder holding the guest programs. Empty: CONCLAVE_LIBEXEC, then beside the library or program.
  std::string guest_folder;
  // Python interpreter. Empty: CONCLAVE_PYTHON, then python3 on PATH, then /usr/bin/python3; the first that can import pandas.
  std::string python;
  EngineBudget budget;
  // Of every run. Engine::Create does not fail on a machine without the required layers; runs and Examine() say so.
  Isolation isolation;
};

// One line of `Engine::Examine`.
struct Finding {
  std::string part;  // "sandbox", "python"
  bool good = false;
  std::string message;  // what was found, or what is missing and how to get it
};

class Engine : public Analyzer {
 public:
  static absl::StatusOr<std::unique_ptr<Engine>> Create(const EngineOptions& options);

  // Reads files and describes them, in the order of the job.
  virtual absl::StatusOr<std::vector<v1::Profile>> Profile(const v1::ProfileJob& job, const Cancellation& cancellation,
                                                           const EventSink& sink) const = 0;

  // Runs one program a person gave.
  virtual absl::StatusOr<v1::Execution> Execute(const v1::ExecutionJob& job, const Cancellation& cancellation,
                                                const EventSink& sink) const = 0;

  // Adds a language model to the panel of jobs begun from now on, as two personas: "NAME-sql" and "NAME-python". AlreadyExists
  // when a model of that name was added before; InvalidArgument when its lineage is that of the offline analyst.
  virtual absl::Status AddModel(std::shared_ptr<const Model> model) = 0;

  // A finished job from the ledger. NotFound when this scope has no such id.
  virtual absl::StatusOr<v1::Insight> Recall(const std::string& scope, const std::string& id) const = 0;

  // Checks everything the engine depends on.
  virtual std::vector<Finding> Examine() const = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_ENGINE_H_
