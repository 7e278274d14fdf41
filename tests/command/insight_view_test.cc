#include <gtest/gtest.h>

#include "tests/command/samples.h"
#include "tools/conclave/view/answer.h"
#include "tools/conclave/view/insight.h"

namespace conclave::cli {
namespace {

TEST(InsightViewTest, AnswerComesFirstThenWhatItRestsOn) {
  EXPECT_EQ(RenderInsight(SupportedInsight(), {}),
            R"(The mean fare is 34.65.

supported  the programs agree; the reading itself was not cross-checked
I read this as: the mean of fare
Assuming: rows without a fare are left out

run             engine                        ended    wall  memory  isolation
offline-sql     sqlite 3.40.1                 ok     310 ms  4.1 MB  L0
offline-pandas  pandas 1.5.3 (python 3.11.2)  ok     310 ms  4.1 MB  L0
Isolation  L0, proven: rlimits
Limits     wall 60 s, memory 512 MB

conclave show 3f2a9c  (programs and evidence)
)");
}

TEST(InsightViewTest, DisputeShowsBothAnswersBesideEachOther) {
  const std::string text = RenderInsight(DisputedInsight(), {});
  EXPECT_TRUE(
      text.starts_with("offline-sql (sqlite 3.40.1)    offline-pandas (pandas 1.5.3)\n"
                       "34.65                          30.1\n"))
      << text;
  EXPECT_TRUE(Mentions(text, "disputed  "));
  EXPECT_TRUE(Mentions(text, "What would settle it: say whether rows without a fare count"));
}

TEST(InsightViewTest, DisputeTooWideForTheTerminalIsStacked) {
  EXPECT_TRUE(
      RenderInsight(DisputedInsight(), {false, 40}).starts_with("offline-sql (sqlite 3.40.1)\n34.65\n\noffline-pandas"));
}

TEST(InsightViewTest, DeclineNamesWordsAndSuggestions) {
  const std::string text = RenderInsight(DeclinedInsight(), {});
  EXPECT_TRUE(text.starts_with("No answer.\n")) << text;
  EXPECT_TRUE(Mentions(text, "declined  "));
  EXPECT_TRUE(Mentions(text, "Not understood: except\n"));
  EXPECT_TRUE(Mentions(text, "Perhaps you meant: fare\n"));
}

TEST(InsightViewTest, TheReasonOfADeclineComesFirst) {
  v1::Insight insight = DeclinedInsight();
  insight.clear_ballots();
  for (const char* persona : {"offline-sql", "offline-pandas"}) {
    v1::Ballot& ballot = *insight.add_ballots();
    ballot.set_persona(persona);
    ballot.set_why_not("the word except is not accounted for");
  }
  const std::string text = RenderInsight(insight, {});
  EXPECT_TRUE(text.starts_with("No answer.\n\ndeclined  the word except is not accounted for\n")) << text;
  EXPECT_EQ(text.find("accounted for"), text.rfind("accounted for")) << text;
}

TEST(InsightViewTest, NotesStandUnderTheAnswer) {
  v1::Insight insight = SupportedInsight();
  insight.add_notes("titanic.csv: rows with more cells than the header (2 times)");
  insight.add_notes("`fare`: infinities became missing (1 time)");
  EXPECT_TRUE(Mentions(RenderInsight(insight, {}),
                       "\nMind:     titanic.csv: rows with more cells than the header (2 times)\n"
                       "          `fare`: infinities became missing (1 time)\n"))
      << RenderInsight(insight, {});
}

TEST(InsightViewTest, OneExecutionIsShownAsSuch) {
  v1::Insight insight = OneExecutionInsight();
  insight.set_sentence("Mean of `fare`: 34.65.");
  EXPECT_EQ(RenderInsight(insight, {}).rfind("Not cross-checked: Mean of `fare`: 34.65.\n", 0), 0u);
  insight.clear_sentence();
  EXPECT_TRUE(Mentions(RenderInsight(insight, {}), "34.65\n\none execution  one execution, not cross-checked\n"));
  insight.mutable_outcome()->set_explanation("pandas is missing");
  EXPECT_TRUE(Mentions(RenderInsight(insight, {}), "one execution, not cross-checked"));
  EXPECT_TRUE(Mentions(RenderInsight(insight, {}), "Way on: install python3-pandas"));
}

TEST(InsightViewTest, RunsThatWentWrongSayHow) {
  v1::Insight insight = SupportedInsight();
  v1::Execution& execution = *insight.mutable_executions(1);
  execution.set_end_reason(v1::MEMORY_LIMIT);
  execution.set_detail("used 513 MB of 512 MB: raise --memory");
  execution.set_isolation_level(-1);
  execution.mutable_layers(0)->set_achieved(false);
  execution.mutable_layers(0)->set_detail("not permitted");
  const std::string text = RenderInsight(insight, {});
  EXPECT_TRUE(Mentions(text, "offline-pandas  used 513 MB of 512 MB: raise --memory\n")) << text;
  EXPECT_TRUE(Mentions(text, "memory_limit"));
  EXPECT_TRUE(Mentions(text, "Isolation  offline-sql: L0, proven: rlimits\n"));
  EXPECT_TRUE(Mentions(text, "Isolation  offline-pandas: none; not held: rlimits (not permitted)\n"));
}

void AddLayer(v1::Execution& execution, const std::string& name, bool achieved, const std::string& detail) {
  v1::LayerState& layer = *execution.add_layers();
  layer.set_name(name);
  layer.set_achieved(achieved);
  layer.set_detail(detail);
}

TEST(InsightViewTest, APreferredLevelThatWasNotReachedIsToldOnce) {
  v1::Insight insight = SupportedInsight();
  for (v1::Execution& execution : *insight.mutable_executions()) {
    execution.set_isolation_level(1);
    AddLayer(execution, "syscall_filter", true, "");
    AddLayer(execution, "path_filter", true, "");
    AddLayer(execution, "signal_scope", false, "kernel 6.1");
    AddLayer(execution, "network_namespace", false, "not tried");
    AddLayer(execution, "user_namespace", false, "user.max_user_namespaces is 0");
  }
  const std::string text = RenderInsight(insight, {});
  EXPECT_TRUE(Mentions(text,
                       "\nIsolation  L1, proven: rlimits, syscall_filter, path_filter; not held: signal_scope (kernel 6.1)\n"
                       "Preferred  L3 was not reached: user_namespace is missing: user.max_user_namespaces is 0\n"
                       "Limits "))
      << text;
  EXPECT_EQ(text.find("Preferred"), text.rfind("Preferred")) << text;
}

TEST(InsightViewTest, ARunThatLostALayerIsNamed) {
  v1::Insight insight = SupportedInsight();
  for (v1::Execution& execution : *insight.mutable_executions()) {
    execution.set_isolation_level(1);
    AddLayer(execution, "path_filter", true, "");
  }
  v1::Execution& lowered = *insight.mutable_executions(1);
  lowered.set_isolation_level(0);
  lowered.mutable_layers(1)->set_achieved(false);
  lowered.mutable_layers(1)->set_detail("disproved inside the run: opening / succeeded");
  EXPECT_TRUE(Mentions(RenderInsight(insight, {}),
                       "\nPreferred  offline-pandas: L1 was not reached: path_filter is missing: "
                       "disproved inside the run: opening / succeeded\n"))
      << RenderInsight(insight, {});
}

TEST(InsightViewTest, FailedProgramsDidNotEndWell) {
  v1::Insight insight = SupportedInsight();
  v1::Answer& answer = *insight.mutable_executions(1)->mutable_answer();
  answer.Clear();
  answer.set_kind(v1::ERROR);
  answer.mutable_error()->set_type("ZeroDivisionError");
  answer.mutable_error()->set_message("division by zero");
  const std::string text = RenderInsight(insight, {});
  EXPECT_TRUE(Mentions(text, "pandas 1.5.3 (python 3.11.2)  error ")) << text;
  EXPECT_TRUE(Mentions(text, "offline-pandas  ZeroDivisionError: division by zero\n")) << text;
}

TEST(InsightViewTest, NothingIsSaidTwice) {
  v1::Insight insight = SupportedInsight();
  insight.set_sentence("The mean of fare: 34.65.");
  EXPECT_FALSE(Mentions(RenderInsight(insight, {}), "I read this as")) << RenderInsight(insight, {});
  for (v1::Ballot& ballot : *insight.mutable_ballots()) {
    ballot.set_counts(false);
    ballot.set_program_id("");
    ballot.set_why_not("except is unknown");
  }
  const std::string text = RenderInsight(insight, {});
  EXPECT_TRUE(Mentions(text, "offline-sql, offline-pandas  except is unknown\n")) << text;
}

TEST(InsightViewTest, WhatWasNotCheckedIsSaid) {
  v1::Insight insight = SupportedInsight();
  insight.mutable_outcome()->add_reasons("one_lineage");
  insight.mutable_outcome()->add_reasons("checks_not_run");
  const std::string text = RenderInsight(insight, {});
  EXPECT_TRUE(Mentions(text, "Not checked: the reading, by a second author; the programs, on changed data\n")) << text;
}

TEST(InsightViewTest, ProgramsAreShownWithTheirAuthors) {
  v1::Insight insight = SupportedInsight();
  insight.mutable_programs(0)->set_language(v1::SQL);
  insight.mutable_programs(0)->set_code("SELECT 1\n\x1b[2J\n");
  EXPECT_TRUE(RenderPrograms(insight, {}).starts_with("offline-sql (sql)\n  SELECT 1\n  \\u001b[2J\n"))
      << RenderPrograms(insight, {});
}

TEST(InsightViewTest, TablesFollowTheSentence) {
  v1::Insight insight = SupportedInsight();
  insight.set_sentence("The mean fare by class:");
  *insight.mutable_answer() =
      TableAnswer({"class", "mean_fare"}, {{"First", "84.1546875"}, {"Third", "13.675550101832997"}, {"None", "5.0"}});
  EXPECT_TRUE(RenderInsight(insight, {})
                  .starts_with("The mean fare by class:\n"
                               "\n"
                               "  class  mean_fare\n"
                               "  First    84.1547\n"
                               "  Third    13.6756\n"
                               "  None      5.0000\n"))
      << RenderInsight(insight, {});
}

TEST(InsightViewTest, ColourIsOnlyForTerminals) {
  EXPECT_FALSE(Mentions(RenderInsight(SupportedInsight(), {false, 80}), "\x1b"));
  EXPECT_TRUE(Mentions(RenderInsight(SupportedInsight(), {true, 80}), "\x1b[32msupported\x1b[0m"));
}

TEST(AnswerViewTest, EveryKindHasItsWords) {
  v1::Answer answer;
  answer.set_kind(v1::EMPTY);
  EXPECT_EQ(RenderAnswer(answer, {}), "(nothing: no rows match)\n");
  answer.set_kind(v1::UNDEFINED);
  EXPECT_TRUE(Mentions(RenderAnswer(answer, {}), "undefined"));
  answer.set_kind(v1::BOOLEAN);
  answer.mutable_value()->set_boolean(true);
  EXPECT_EQ(RenderAnswer(answer, {}), "yes\n");
  answer = NumberAnswer("nan");
  EXPECT_EQ(RenderAnswer(answer, {}), "nan\n");
  answer = NumberAnswer("34.650");
  EXPECT_EQ(RenderAnswer(answer, {}), "34.65\n");
  answer = NumberAnswer("0.1");
  answer.set_decimals(2);
  answer.set_unit("percent");
  EXPECT_EQ(RenderAnswer(answer, {}), "0.10 %\n");
  answer = NumberAnswer("0.000012345678");
  EXPECT_EQ(RenderAnswer(answer, {}), "0.000012345678\n");
  answer.mutable_value()->set_integer("18446744073709551617");
  EXPECT_EQ(RenderAnswer(answer, {}), "18446744073709551617\n");
}

TEST(AnswerViewTest, LongTablesSayWhatIsLeftOut) {
  std::vector<std::vector<std::string>> rows(250, {"a", "1"});
  const std::string text = RenderAnswer(TableAnswer({"k", "v"}, rows), {});
  EXPECT_TRUE(Mentions(text, "(150 more rows; --json has all)")) << text;
}

TEST(AnswerViewTest, MalformedTablesDoNoHarm) {
  v1::Answer answer = TableAnswer({"a", "b", "c"}, {{"x"}, {}, {"x", "1", "2"}});
  EXPECT_TRUE(Mentions(RenderAnswer(answer, {}), "x"));
  answer = TableAnswer({}, {{"x"}});
  EXPECT_FALSE(Mentions(RenderAnswer(answer, {}), "x"));
}

}  // namespace
}  // namespace conclave::cli
