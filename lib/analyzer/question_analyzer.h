// QuestionAnalyzer: carries one question from its files to an insight. Read, expect, draft and run side by side, judge,
// narrate.
//
// Thread safety: Analyze may be called from any thread at any time; each persona works on a thread of its own.
// Ownership: borrows its parts, which must outlive it.
#ifndef CONCLAVE_LIB_ANALYZER_QUESTION_ANALYZER_H_
#define CONCLAVE_LIB_ANALYZER_QUESTION_ANALYZER_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "conclave/analyzer.h"
#include "conclave/consensus.h"
#include "conclave/dataset.h"
#include "conclave/persona.h"
#include "lib/analyzer/event_stream.h"
#include "lib/analyzer/job_context.h"
#include "lib/analyzer/program_runner.h"
#include "lib/base/clock.h"
#include "lib/store/ledger.h"

namespace conclave {

// Reads the files of a job, in order.
using ReadDatasets = std::function<absl::StatusOr<std::vector<DatasetPtr>>(
    const google::protobuf::RepeatedPtrField<v1::DatasetSource>& sources, const ResolvedContext& context,
    const Cancellation& cancellation, EventStream& events)>;

// The personas there are when a job begins; a job keeps those it began with.
using PersonaPtr = std::shared_ptr<const Persona>;
using PersonaPanel = std::function<std::vector<PersonaPtr>()>;

struct AnalyzerParts {
  ReadDatasets read;
  const ProgramRunner* runner = nullptr;
  PersonaPanel panel;
  const Consensus* consensus = nullptr;
  Ledger* ledger = nullptr;
  const Clock* clock = nullptr;
};

class QuestionAnalyzer : public Analyzer {
 public:
  explicit QuestionAnalyzer(AnalyzerParts parts) : parts_(std::move(parts)) {}

  absl::StatusOr<v1::Insight> Analyze(const v1::AnalysisJob& job, const Cancellation& cancellation,
                                      const EventSink& sink) const override;

 private:
  // One persona's work: what it drafted, what came of running it, and the vote that follows.
  struct Contribution {
    const Persona* persona = nullptr;
    absl::Status failure;  // neither drafted nor ran, because of Conclave
    Draft draft;
    v1::Execution execution;
    bool executed = false;
  };

  absl::StatusOr<v1::Insight> Answer(const v1::AnalysisJob& job, const ResolvedContext& context,
                                     const std::vector<PersonaPtr>& personas, const Cancellation& cancellation,
                                     EventStream& events) const;
  std::vector<Contribution> Contribute(const PersonaQuestion& question, const std::vector<PersonaPtr>& personas,
                                       const std::vector<DatasetPtr>& datasets, const ResolvedContext& context,
                                       const Cancellation& cancellation, EventStream& events) const;
  void DraftAndRun(const PersonaQuestion& question, const std::vector<DatasetPtr>& datasets, const ResolvedContext& context,
                   const Cancellation& cancellation, EventStream& events, Contribution* contribution) const;
  const AnalyzerParts parts_;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANALYZER_QUESTION_ANALYZER_H_
