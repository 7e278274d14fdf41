#include "tools/conclave/view/insight.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "lib/base/text.h"
#include "tools/conclave/view/answer.h"
#include "tools/conclave/view/evidence.h"
#include "tools/conclave/view/layout.h"
#include "tools/conclave/view/paint.h"

namespace conclave::cli {
namespace {

constexpr size_t kSentenceBytes = 1000;
constexpr size_t kCodeLineBytes = 2000;

template <typename Strings>
std::vector<std::string> Shown(const Strings& strings, size_t most) {
  std::vector<std::string> out;
  for (const std::string& text : strings) {
    if (out.size() == most) {
      out.push_back("...");
      break;
    }
    out.push_back(Excerpt(text, 80));
  }
  return out;
}

bool HasReason(const v1::Outcome& outcome, std::string_view reason) {
  return std::find(outcome.reasons().begin(), outcome.reasons().end(), reason) != outcome.reasons().end();
}

// The outcome in one word, as far as one does.
std::string OutcomeWord(const v1::Outcome& outcome) {
  switch (outcome.kind()) {
    case v1::CONFIRMED: return "confirmed";
    case v1::SUPPORTED: return "supported";
    case v1::DISPUTED: return "disputed";
    default: break;
  }
  if (outcome.reasons().empty()) return "none";
  return Excerpt(absl::StrReplaceAll(outcome.reasons(0), {{"_", " "}}), 60);
}

std::string_view OutcomeMeaning(const v1::Outcome& outcome) {
  switch (outcome.kind()) {
    case v1::CONFIRMED: return "independent readings of the question agree, and the checks passed";
    case v1::SUPPORTED: return "the programs agree; the reading itself was not cross-checked";
    case v1::DISPUTED: return "the programs ran and gave different answers";
    default: break;
  }
  if (HasReason(outcome, "declined")) return "the question was not understood well enough to answer it";
  if (HasReason(outcome, "one_execution")) return "one execution, not cross-checked";
  if (HasReason(outcome, "deadline")) return "the deadline passed first";
  return "no program brought an answer";
}

std::string PaintedWord(const v1::Outcome& outcome, const Paint& paint) {
  const std::string word = OutcomeWord(outcome);
  if (outcome.kind() == v1::CONFIRMED || outcome.kind() == v1::SUPPORTED) return paint.Good(word);
  return outcome.kind() == v1::DISPUTED ? paint.Bad(word) : paint.Doubtful(word);
}

std::string WhoSaid(const v1::Cluster& cluster) {
  std::string who = absl::StrJoin(Shown(cluster.personas(), 6), ", ");
  if (cluster.engines_size() > 0) absl::StrAppend(&who, " (", absl::StrJoin(Shown(cluster.engines(), 6), ", "), ")");
  return who;
}

std::vector<std::string> AnswerBlocks(const v1::Outcome& outcome, const View& view) {
  std::vector<std::string> blocks;
  for (const v1::Cluster& cluster : outcome.clusters()) {
    blocks.push_back(Paint(view.colour).Bold(WhoSaid(cluster)) + "\n" + RenderAnswer(cluster.answer(), view));
  }
  return blocks;
}

// The answers that differ: two beside each other where that fits, else below each other.
std::string RenderDispute(const v1::Outcome& outcome, const View& view) {
  if (outcome.clusters_size() == 2) {
    const std::vector<std::string> uncut = AnswerBlocks(outcome, {view.colour, 0});
    if (const auto beside = SideBySide(uncut[0], uncut[1], view.width > 0 ? view.width : 128)) return *beside;
  }
  return absl::StrJoin(AnswerBlocks(outcome, view), "\n");
}

std::string RenderAnswerPart(const v1::Insight& insight, const View& view) {
  const v1::Outcome& outcome = insight.outcome();
  const Paint paint(view.colour);
  if (outcome.kind() == v1::DISPUTED) return RenderDispute(outcome, view);
  if (outcome.kind() == v1::NONE && !HasReason(outcome, "one_execution")) return paint.Bold("No answer.") + "\n";
  std::string text;
  if (!insight.sentence().empty()) {
    // What one program computed must not look like what two agree on.
    const std::string doubt = HasReason(outcome, "one_execution") ? "Not cross-checked: " : "";
    text = paint.Bold(doubt + Excerpt(insight.sentence(), kSentenceBytes)) + "\n";
  }
  if (IsTabular(insight.answer())) {
    if (!text.empty()) text += "\n";
    text += Indent(RenderAnswer(insight.answer(), {view.colour, std::max(0, view.width - 2)}), 2);
  } else if (text.empty()) {
    text = paint.Bold(RenderAnswer(insight.answer(), view));
  }
  return text;
}

std::string NotChecked(const v1::Outcome& outcome) {
  std::vector<std::string> open;
  if (HasReason(outcome, "one_lineage")) open.push_back("the reading, by a second author");
  if (HasReason(outcome, "checks_not_run")) open.push_back("the programs, on changed data");
  return absl::StrJoin(open, "; ");
}

// Whether the sentence, which only a delivered answer shows, begins with the reading.
bool IsToldBySentence(const v1::Insight& insight) {
  const v1::OutcomeKind kind = insight.outcome().kind();
  if (kind == v1::DISPUTED || (kind == v1::NONE && !HasReason(insight.outcome(), "one_execution"))) return false;
  const std::string& reading = insight.reading();
  return absl::StartsWithIgnoreCase(insight.sentence(), reading.substr(0, reading.find_last_not_of(" .") + 1));
}

// Why the question was declined, where all who were asked say the same; that is what a reader wants to know first.
std::string ReasonToDecline(const v1::Insight& insight) {
  if (!HasReason(insight.outcome(), "declined") || insight.ballots().empty()) return "";
  const std::string& first = insight.ballots(0).why_not();
  const bool same = std::all_of(insight.ballots().begin(), insight.ballots().end(),
                                [&](const v1::Ballot& ballot) { return ballot.why_not() == first; });
  return same ? first : "";
}

std::string RenderOutcome(const v1::Insight& insight, const View& view) {
  const v1::Outcome& outcome = insight.outcome();
  const Paint paint(view.colour);
  const std::string reason = Excerpt(ReasonToDecline(insight), kSentenceBytes);
  const std::string meaning = !reason.empty()                 ? reason
                              : outcome.explanation().empty() ? std::string(OutcomeMeaning(outcome))
                                                              : Excerpt(outcome.explanation(), kSentenceBytes);
  std::string text = Paragraph(PaintedWord(outcome, paint) + "  ", meaning, view.width);
  if (HasReason(outcome, "one_execution") && meaning.find("not cross-checked") == std::string::npos) {
    text += Paragraph("", "one execution, not cross-checked", view.width);
  }
  const auto add = [&](std::string_view title, const std::string& rest) {
    if (!rest.empty()) text += Paragraph(paint.Dim(title) + " ", rest, view.width);
  };
  add("Not understood:", absl::StrJoin(Shown(insight.not_understood(), 20), ", "));
  add("Perhaps you meant:", absl::StrJoin(Shown(insight.suggestions(), 20), ", "));
  add(outcome.kind() == v1::DISPUTED ? "What would settle it:" : "Way on:", Excerpt(outcome.way_out(), kSentenceBytes));
  add("Not checked:", NotChecked(outcome));
  if (!IsToldBySentence(insight)) add("I read this as:", Excerpt(insight.reading(), kSentenceBytes));
  for (int i = 0; i < insight.assumptions_size(); ++i) {
    text += Paragraph(i == 0 ? paint.Dim("Assuming:") + " " : std::string(10, ' '), Excerpt(insight.assumptions(i), 400),
                      view.width);
  }
  for (int i = 0; i < insight.notes_size(); ++i) {
    text += Paragraph(i == 0 ? paint.Doubtful("Mind:") + "     " : std::string(10, ' '), Excerpt(insight.notes(i), 400),
                      view.width);
  }
  return text;
}

std::vector<Evidence> EvidenceOf(const v1::Insight& insight) {
  std::vector<Evidence> runs;
  for (const v1::Execution& execution : insight.executions()) {
    Evidence run{&execution, "", ""};
    for (const v1::Program& program : insight.programs()) {
      if (program.id() == execution.program_id()) run.persona = program.persona();
    }
    for (const v1::Ballot& ballot : insight.ballots()) {
      if (ballot.program_id() == execution.program_id() && !ballot.counts()) run.remark = ballot.why_not();
    }
    runs.push_back(run);
  }
  return runs;
}

// Abstentions of personas that ran nothing, those with the same reason together.
std::string RenderAbstentions(const v1::Insight& insight, const View& view) {
  if (!ReasonToDecline(insight).empty()) return "";
  std::vector<std::pair<std::string, std::string>> abstentions;  // reason, names
  for (const v1::Ballot& ballot : insight.ballots()) {
    const bool ran = std::any_of(insight.executions().begin(), insight.executions().end(),
                                 [&](const v1::Execution& e) { return e.program_id() == ballot.program_id(); });
    if (ran || ballot.counts() || ballot.why_not().empty()) continue;
    const std::string reason = Excerpt(ballot.why_not(), 400);
    const std::string name = Excerpt(ballot.persona(), 40);
    const auto same =
        std::find_if(abstentions.begin(), abstentions.end(), [&](const auto& other) { return other.first == reason; });
    if (same == abstentions.end()) {
      abstentions.emplace_back(reason, name);
    } else {
      absl::StrAppend(&same->second, ", ", name);
    }
  }
  const Paint paint(view.colour);
  std::string text;
  for (const auto& [reason, names] : abstentions) text += Paragraph(paint.Doubtful(names) + "  ", reason, view.width);
  return text;
}

}  // namespace

std::string RenderAnswerAlone(const v1::Insight& insight, const View& view) { return RenderAnswerPart(insight, view); }

std::string RenderInsight(const v1::Insight& insight, const View& view) {
  std::string text = RenderAnswerPart(insight, view) + "\n" + RenderOutcome(insight, view);
  const std::string evidence = RenderEvidence(EvidenceOf(insight), view) + RenderAbstentions(insight, view);
  if (!evidence.empty()) text += "\n" + evidence;
  if (!insight.id().empty()) {
    text += "\n" +
            Paint(view.colour).Dim(absl::StrCat("conclave show ", Excerpt(insight.id(), 80), "  (programs and evidence)")) +
            "\n";
  }
  return text;
}

std::string RenderPrograms(const v1::Insight& insight, const View& view) {
  const Paint paint(view.colour);
  std::string text;
  for (const v1::Program& program : insight.programs()) {
    const std::string author = program.persona().empty() ? "program" : Excerpt(program.persona(), 40);
    const std::string language = absl::AsciiStrToLower(v1::Language_Name(program.language()));
    std::string code;
    std::vector<std::string> lines = absl::StrSplit(program.code(), '\n');
    if (lines.back().empty()) lines.pop_back();
    for (const std::string& line : lines) code += Excerpt(absl::StrReplaceAll(line, {{"\t", "    "}}), kCodeLineBytes) + "\n";
    absl::StrAppend(&text, text.empty() ? "" : "\n", paint.Bold(absl::StrCat(author, " (", language, ")")), "\n",
                    Indent(code, 2));
  }
  return text;
}

}  // namespace conclave::cli
