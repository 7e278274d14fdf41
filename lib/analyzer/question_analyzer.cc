#include "lib/analyzer/question_analyzer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/analyzer/narration.h"
#include "lib/analyzer/reading_evidence.h"
#include "lib/answer/expectation.h"
#include "lib/base/text.h"
#include "lib/base/worker.h"

namespace conclave {
namespace {

constexpr size_t kMostNamed = 8;

// The deadline cut a run, so no engine is missing and no program is wrong: what helps is time.
void TellLate(v1::Outcome* outcome) {
  outcome->add_reasons("deadline");
  outcome->set_explanation(outcome->clusters().empty() ? "Time ran out before a program produced an answer that counts."
                                                       : "Time ran out: one execution, not cross-checked.");
  outcome->set_way_out("Allow the job more time (context.deadline_ms; `conclave ask --deadline`).");
}

// The caller chose whom to ask, so no engine is missing: what helps is to ask somebody else as well.
void TellOthers(const std::vector<PersonaPtr>& panel, const std::vector<PersonaPtr>& asked, v1::Outcome* outcome) {
  std::vector<PersonaPtr> others;
  for (const PersonaPtr& persona : panel) {
    if (std::find(asked.begin(), asked.end(), persona) == asked.end()) others.push_back(persona);
  }
  if (others.empty()) return;
  std::stable_partition(others.begin(), others.end(), [&](const PersonaPtr& other) {
    return std::none_of(asked.begin(), asked.end(), [&](const PersonaPtr& one) { return one->lineage() == other->lineage(); });
  });
  if (others.size() > kMostNamed) others.resize(kMostNamed);
  const std::string names = absl::StrJoin(others, ", ", [](std::string* out, const PersonaPtr& persona) {
    absl::StrAppend(out, persona->name(), " (", persona->lineage(), ")");
  });
  outcome->set_way_out(absl::StrCat(
      "Ask without choosing personas, or choose another one as well, best one of another lineage (in brackets): ", names, "."));
}

void AddUnique(const std::string& item, google::protobuf::RepeatedPtrField<std::string>* items) {
  if (std::find(items->begin(), items->end(), item) == items->end()) *items->Add() = item;
}

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

bool Delivered(const v1::Outcome& outcome) { return outcome.kind() == v1::CONFIRMED || outcome.kind() == v1::SUPPORTED; }

bool HasReason(const v1::Outcome& outcome, std::string_view reason) {
  return std::find(outcome.reasons().begin(), outcome.reasons().end(), reason) != outcome.reasons().end();
}

// Whether all who were asked answered, and were too few.
bool NeedsOthers(const v1::Insight& insight) {
  return HasReason(insight.outcome(), "one_execution") && std::all_of(insight.ballots().begin(), insight.ballots().end(),
                                                                      [](const v1::Ballot& ballot) { return ballot.counts(); });
}

// Failures that are not one persona's alone: no isolation (there is no run without it), limits that cannot be, no room,
// cancelled.
bool EndsJob(const absl::Status& failure) {
  return absl::IsCancelled(failure) || absl::IsFailedPrecondition(failure) || absl::IsInvalidArgument(failure) ||
         absl::IsResourceExhausted(failure);
}

// A run votes only if it ended well and said something.
void Vote(const v1::Execution& execution, v1::Ballot* ballot) {
  ballot->set_engine(execution.engine());
  *ballot->mutable_answer() = execution.answer();
  const v1::Answer& answer = execution.answer();
  if (answer.kind() == v1::ERROR) {
    ballot->set_why_not(absl::StrCat(answer.error().type(), ": ", answer.error().message()));
  } else if (execution.end_reason() != v1::OK || answer.kind() == v1::ANSWER_KIND_UNSPECIFIED) {
    ballot->set_why_not(execution.detail());
  } else {
    ballot->set_counts(true);
  }
}

// One row of figures over nothing: counts of 0, and missing values.
bool HasOnlyNone(const v1::Value& value) {
  if (value.table().rows_size() != 1) return false;
  const auto& cells = value.table().rows(0).cells();
  const bool missing = std::any_of(cells.begin(), cells.end(), [](const v1::Value& cell) { return cell.has_null(); });
  return missing && std::all_of(cells.begin(), cells.end(),
                                [](const v1::Value& cell) { return cell.has_null() || cell.integer() == "0"; });
}

// Whether the answer of the first cluster is that of `program`. True of every program while there is no cluster.
bool Leads(const v1::Outcome& outcome, const v1::Program& program) {
  if (outcome.clusters().empty()) return true;
  const auto& personas = outcome.clusters(0).personas();
  return std::find(personas.begin(), personas.end(), program.persona()) != personas.end();
}

// The program whose reading is told: of those that lead, one of the offline analyst before one of a language model, because its
// reading is written from what it computes. An empty one when nothing was drafted.
const v1::Program& ProgramToTell(const v1::Insight& insight) {
  const v1::Program* told = nullptr;
  for (const v1::Program& program : insight.programs()) {
    if (!Leads(insight.outcome(), program)) continue;
    if (program.lineage() == kOfflineLineage) return program;
    if (told == nullptr) told = &program;
  }
  return told == nullptr ? v1::Program::default_instance() : *told;
}

// Of a delivered answer what was assumed for it; else what every analyst assumed.
void AddAssumptions(v1::Insight* insight) {
  for (const v1::Program& program : insight->programs()) {
    if (Delivered(insight->outcome()) && !Leads(insight->outcome(), program)) continue;
    for (const std::string& assumption : program.assumptions()) AddUnique(assumption, insight->mutable_assumptions());
  }
}

absl::StatusOr<std::vector<PersonaPtr>> ChoosePersonas(const std::vector<PersonaPtr>& panel, const v1::AnalysisJob& job) {
  if (job.personas().empty()) return panel;
  std::vector<PersonaPtr> chosen;
  for (const std::string& name : job.personas()) {
    const auto found =
        std::find_if(panel.begin(), panel.end(), [&](const PersonaPtr& persona) { return persona->name() == name; });
    if (found == panel.end()) {
      const std::string known =
          absl::StrJoin(panel, ", ", [](std::string* out, const PersonaPtr& persona) { out->append(persona->name()); });
      return absl::InvalidArgumentError(absl::StrCat("personas: no persona \"", Excerpt(name, 60), "\": there are ", known));
    }
    if (std::find(chosen.begin(), chosen.end(), *found) == chosen.end()) chosen.push_back(*found);
  }
  return chosen;
}

}  // namespace

absl::StatusOr<v1::Insight> QuestionAnalyzer::Analyze(const v1::AnalysisJob& job, const Cancellation& cancellation,
                                                      const EventSink& sink) const {
  if (absl::Status status = CheckAnalysisJob(job); !status.ok()) return status;
  absl::StatusOr<ResolvedContext> context = ResolveContext(job.context(), parts_.clock->Now());
  if (!context.ok()) return context.status();
  const std::vector<PersonaPtr> panel = parts_.panel();
  absl::StatusOr<std::vector<PersonaPtr>> personas = ChoosePersonas(panel, job);
  if (!personas.ok()) return personas.status();

  EventStream events(*parts_.clock, sink);
  const std::string& scope = context->context.scope();
  absl::StatusOr<std::string> id = parts_.ledger->Begin(scope, job, parts_.clock->Now());
  if (!id.ok()) return id.status();
  absl::StatusOr<v1::Insight> insight = Answer(job, *context, *personas, cancellation, events);
  if (insight.ok() && cancellation.cancelled()) insight = absl::CancelledError("the job was cancelled");
  absl::Status recorded;
  if (insight.ok()) {
    if (!job.personas().empty() && NeedsOthers(*insight)) TellOthers(panel, *personas, insight->mutable_outcome());
    insight->set_id(*id);
    insight->set_wall_us(absl::ToInt64Microseconds(events.elapsed()));
    recorded = parts_.ledger->Finish(scope, *insight, parts_.clock->Now());
  } else {
    recorded = parts_.ledger->Abandon(scope, *id, insight.status(), parts_.clock->Now());
  }
  // The answer stands even where it could not be written down; the caller is told.
  if (!recorded.ok()) events.Emit({"record", "", "failed", MessageOf(recorded), {}});
  events.Emit({"done", "", insight.ok() ? "finished" : "failed", insight.ok() ? "" : MessageOf(insight.status()), {}});
  return insight;
}

absl::StatusOr<v1::Insight> QuestionAnalyzer::Answer(const v1::AnalysisJob& job, const ResolvedContext& context,
                                                     const std::vector<PersonaPtr>& personas, const Cancellation& cancellation,
                                                     EventStream& events) const {
  absl::StatusOr<std::vector<DatasetPtr>> datasets = parts_.read(job.datasets(), context, cancellation, events);
  if (!datasets.ok()) return datasets.status();

  PersonaQuestion question;
  question.question = job.question();
  question.context = context.context;
  question.deadline = context.deadline;
  for (const DatasetPtr& dataset : *datasets) question.profiles.push_back(dataset->profile());
  events.Emit({"expect", "", "started", "", {}});
  question.expectation = ExpectationFromQuestion(job.question());
  events.Emit({"expect", "", "finished", "", {}});

  const std::vector<Contribution> contributions = Contribute(question, personas, *datasets, context, cancellation, events);
  for (const Contribution& contribution : contributions) {
    if (EndsJob(contribution.failure)) return contribution.failure;
  }

  v1::Insight insight;
  insight.set_question(job.question());
  *insight.mutable_expectation() = question.expectation;
  for (const v1::Profile& profile : question.profiles) *insight.add_profiles() = profile;
  std::vector<v1::Ballot> ballots;
  bool late = false;
  for (const Contribution& contribution : contributions) {
    v1::Ballot ballot;
    ballot.set_persona(contribution.persona->name());
    ballot.set_lineage(contribution.persona->lineage());
    if (contribution.draft.decline.has_value()) {
      ballot.mutable_answer()->set_kind(v1::DECLINED);
      ballot.mutable_answer()->set_reason(contribution.draft.decline->reason);
      ballot.set_why_not(contribution.draft.decline->reason);
      for (const std::string& word : contribution.draft.decline->not_understood) {
        AddUnique(word, insight.mutable_not_understood());
      }
      for (const std::string& suggestion : contribution.draft.decline->suggestions) {
        AddUnique(suggestion, insight.mutable_suggestions());
      }
    }
    if (contribution.draft.program.has_value()) {
      const v1::Program& program = *contribution.draft.program;
      ballot.set_program_id(program.id());
      *insight.add_programs() = program;
    }
    if (contribution.executed) {
      *insight.add_executions() = contribution.execution;
      Vote(contribution.execution, &ballot);
      late = late || contribution.execution.end_reason() == v1::DEADLINE;
    }
    if (!contribution.failure.ok()) {
      ballot.set_why_not(MessageOf(contribution.failure));
      late = late || absl::IsDeadlineExceeded(contribution.failure);
    }
    ballots.push_back(ballot);
    *insight.add_ballots() = std::move(ballot);
  }

  events.Emit({"judge", "", "started", "", {}});
  v1::Outcome& outcome = *insight.mutable_outcome();
  outcome = parts_.consensus->Judge(ballots, question.expectation);
  if (outcome.kind() == v1::NONE && late) TellLate(&outcome);
  WeighReadings(question.profiles, insight.executions(), &outcome);
  if (!insight.executions().empty()) {
    for (std::string& note : ReadingNotes(question.profiles, insight.executions())) insight.add_notes(std::move(note));
  }
  events.Emit({"judge", "", "finished", outcome.explanation(), {{"clusters", outcome.clusters_size()}}});

  const v1::Program& told = ProgramToTell(insight);
  insight.set_reading(ReadingToTell(told, insight.question()));
  AddAssumptions(&insight);

  const bool single = outcome.kind() == v1::NONE && HasReason(outcome, "one_execution");
  if ((Delivered(outcome) || single) && !outcome.clusters().empty()) {
    *insight.mutable_answer() = outcome.clusters(0).answer();
    if (told.cells()) (*insight.mutable_answer()->mutable_notes())["values"] = "cells";
    insight.set_sentence(Narrate(insight.reading(), insight.answer(), told.when_none(), told.when_zero()));
    for (const std::string& note : told.notes()) AddUnique(note, insight.mutable_notes());
    for (const std::string& note : SpellingNotes(insight.answer(), told)) AddUnique(note, insight.mutable_notes());
    if (HasOnlyNone(insight.answer().value()) && !told.when_none().empty())
      AddUnique(told.when_none(), insight.mutable_notes());
    events.Emit({"narrate", "", "finished", "", {}});
  }
  return insight;
}

std::vector<QuestionAnalyzer::Contribution> QuestionAnalyzer::Contribute(
    const PersonaQuestion& question, const std::vector<PersonaPtr>& personas, const std::vector<DatasetPtr>& datasets,
    const ResolvedContext& context, const Cancellation& cancellation, EventStream& events) const {
  std::vector<Contribution> contributions(personas.size());
  std::vector<Worker> workers;
  for (size_t i = 0; i < personas.size(); ++i) {
    Contribution* contribution = &contributions[i];
    contribution->persona = personas[i].get();
    auto work = [&, contribution] { DraftAndRun(question, datasets, context, cancellation, events, contribution); };
    absl::StatusOr<Worker> worker = Worker::Start(absl::StrCat("cnclv-", personas[i]->name()), work);
    if (worker.ok()) {
      workers.push_back(*std::move(worker));
    } else {
      contribution->failure = worker.status();
    }
  }
  for (Worker& worker : workers) worker.Join();
  return contributions;
}

void QuestionAnalyzer::DraftAndRun(const PersonaQuestion& question, const std::vector<DatasetPtr>& datasets,
                                   const ResolvedContext& context, const Cancellation& cancellation, EventStream& events,
                                   Contribution* contribution) const {
  const std::string name = contribution->persona->name();
  events.Emit({"draft", name, "started", "", {}});
  absl::StatusOr<Draft> draft = contribution->persona->Write(question, cancellation);
  if (!draft.ok()) {
    contribution->failure = draft.status();
    events.Emit({"draft", name, "failed", MessageOf(draft.status()), {}});
    return;
  }
  contribution->draft = *std::move(draft);
  if (!contribution->draft.program.has_value()) {
    const std::string reason = contribution->draft.decline.has_value() ? contribution->draft.decline->reason : "";
    events.Emit({"draft", name, "skipped", reason, {}});
    return;
  }
  events.Emit({"draft", name, "finished", contribution->draft.program->reading(), {}});
  absl::StatusOr<v1::Execution> execution =
      parts_.runner->Run(*contribution->draft.program, datasets, context, cancellation, events);
  if (!execution.ok()) {
    contribution->failure = execution.status();
    return;
  }
  contribution->execution = *std::move(execution);
  contribution->executed = true;
}

}  // namespace conclave
