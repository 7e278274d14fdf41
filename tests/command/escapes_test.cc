// Text that nobody trusts, in every place it can come from, must not reach the terminal as anything but text.
#include <gtest/gtest.h>

#include "tests/command/samples.h"
#include "tests/command/stage.h"

namespace conclave::cli {
namespace {

// A colour, a hyperlink, the eight-bit CSI, a title, a right-to-left override, a zero-width space, a bell, a carriage return.
const char kHostile[] =
    "\x1b[31mX\x1b]8;;http://x\x07Y\x1b\\\xC2\x9B"
    "2J\x1b]0;t\x07\xE2\x80\xAEZ\xE2\x80\x8B\r\b\xff";

void ExpectHarmless(const std::string& text, const char* where) {
  for (const char* bad : {"\x1b", "\x07", "\xC2\x9B", "\xE2\x80\xAE", "\xE2\x80\x8B", "\r", "\b", "\xff", "\x9b"}) {
    // Bytes that are part of a longer character are harmless; the samples have none with 9B or FF in them.
    EXPECT_EQ(text.find(bad), std::string::npos) << where << ": " << testing::PrintToString(text);
  }
  EXPECT_NE(text.find('X'), std::string::npos) << where << ": the text itself should still be shown";
}

v1::Insight HostileInsight() {
  v1::Insight insight = SupportedInsight();
  insight.set_id(kHostile);
  insight.set_question(kHostile);
  insight.set_sentence(kHostile);
  insight.set_reading(kHostile);
  insight.add_assumptions(kHostile);
  insight.add_not_understood(kHostile);
  insight.add_suggestions(kHostile);
  insight.mutable_outcome()->set_explanation(kHostile);
  insight.mutable_outcome()->set_way_out(kHostile);
  insight.mutable_outcome()->add_reasons(kHostile);
  *insight.mutable_answer() = TableAnswer({kHostile, kHostile}, {{kHostile, kHostile}});
  insight.mutable_answer()->set_unit(kHostile);
  AddRun(insight, kHostile, kHostile, insight.answer());
  AddCluster(insight, kHostile, kHostile, insight.answer());
  AddCluster(insight, kHostile, kHostile, NumberAnswer(kHostile));
  v1::Execution& execution = *insight.mutable_executions(0);
  execution.set_end_reason(v1::SIGNAL);
  execution.set_detail(kHostile);
  execution.mutable_layers(0)->set_name(kHostile);
  execution.mutable_layers(0)->set_achieved(false);
  execution.mutable_layers(0)->set_detail(kHostile);
  execution.mutable_answer()->set_kind(v1::ERROR);
  execution.mutable_answer()->mutable_error()->set_type(kHostile);
  execution.mutable_answer()->mutable_error()->set_message(kHostile);
  v1::Ballot& ballot = *insight.add_ballots();
  ballot.set_persona(kHostile);
  ballot.set_why_not(kHostile);
  return insight;
}

class EscapesTest : public testing::Test {
 protected:
  Stage stage_;
  std::string file_ = stage_.folder.Write("a.csv", "a\n");
};

TEST_F(EscapesTest, Insight) {
  for (const v1::OutcomeKind kind : {v1::CONFIRMED, v1::SUPPORTED, v1::DISPUTED, v1::NONE}) {
    v1::Insight insight = HostileInsight();
    insight.mutable_outcome()->set_kind(kind);
    stage_.script.insight = insight;
    stage_.Run({"ask", file_, "q", "--quiet"});
    ExpectHarmless(stage_.out, "ask");
  }
}

TEST_F(EscapesTest, AnswersOfEveryShape) {
  v1::Answer text, list, map, date, declined;
  text.set_kind(v1::TEXT);
  text.mutable_value()->set_text(kHostile);
  text.set_unit(kHostile);
  list.set_kind(v1::LIST);
  list.mutable_value()->mutable_list()->add_items()->mutable_list()->add_items()->set_text(kHostile);
  list.mutable_value()->mutable_list()->add_items()->set_text(kHostile);
  map.set_kind(v1::MAP);
  auto& entry = *map.mutable_value()->mutable_map()->add_entries();
  entry.mutable_key()->set_text(kHostile);
  entry.mutable_value()->set_integer(kHostile);
  date.set_kind(v1::DATE);
  date.mutable_value()->set_date(kHostile);
  declined.set_kind(v1::DECLINED);
  declined.set_reason(kHostile);
  for (const v1::Answer& answer : {text, list, map, date, declined, NumberAnswer(kHostile)}) {
    v1::Execution execution = SampleExecution("p", "e");
    *execution.mutable_answer() = answer;
    stage_.script.execution = execution;
    stage_.standard_input = "SELECT 1";
    stage_.Run({"run", "--code", "-", "--language", "sql", file_, "--quiet"});
    ExpectHarmless(stage_.out, "answer");
  }
}

TEST_F(EscapesTest, WhatProgramsPrint) {
  v1::Execution execution = HostileInsight().executions(0);
  execution.set_engine(kHostile);
  execution.mutable_answer()->mutable_error()->set_line(1);
  execution.mutable_answer()->mutable_error()->set_source_line(kHostile);
  execution.mutable_stdout()->set_head(kHostile);
  execution.mutable_stdout()->set_tail(kHostile);
  execution.mutable_stderr()->set_head(std::string(kHostile) + "\n" + kHostile);
  stage_.script.execution = execution;
  stage_.standard_input = "SELECT 1";
  stage_.Run({"run", "--code", "-", "--language", "sql", file_, "--quiet"});
  ExpectHarmless(stage_.out, "run");
}

TEST_F(EscapesTest, Profile) {
  v1::Profile profile;
  for (std::string* field :
       {profile.mutable_name(), profile.mutable_source(), profile.mutable_format(), profile.mutable_encoding(),
        profile.mutable_delimiter(), profile.mutable_quote(), profile.mutable_newline()}) {
    *field = kHostile;
  }
  v1::ColumnProfile& column = *profile.add_columns();
  column.set_name(kHostile);
  column.set_label(kHostile);
  column.set_unit(kHostile);
  column.mutable_min()->set_text(kHostile);
  column.mutable_max()->set_text(kHostile);
  v1::TopValue& top = *column.add_top();
  top.mutable_value()->set_text(kHostile);
  top.set_count(2);
  for (v1::Quirk* quirk : {column.add_quirks(), profile.add_quirks()}) {
    quirk->set_code(kHostile);
    quirk->set_column(kHostile);
    quirk->set_detail(kHostile);
  }
  stage_.script.profiles = std::vector<v1::Profile>{profile};
  stage_.Run({"profile", file_, "--quiet"});
  ExpectHarmless(stage_.out, "profile");
}

TEST_F(EscapesTest, ErrorsAndFindings) {
  stage_.script.insight = absl::NotFoundError(kHostile);
  stage_.Run({"ask", file_, "q"});
  ExpectHarmless(stage_.err, "status");
  stage_.script.findings = {{kHostile, true, kHostile}};
  stage_.Run({"doctor"});
  ExpectHarmless(stage_.out, "doctor");
  stage_.Run({kHostile, file_});
  ExpectHarmless(stage_.err, "command");
  stage_.Run({"ask", kHostile});
  ExpectHarmless(stage_.err, "question");
  stage_.Run({"run", "--code", kHostile, "--language", "sql", file_});
  ExpectHarmless(stage_.err, "code");
  stage_.Run({"ask", file_, "q", "--store", file_ + "/" + kHostile});
  ExpectHarmless(stage_.err, "store");
}

TEST_F(EscapesTest, Progress) {
  v1::Event event;
  for (std::string* field : {event.mutable_persona(), event.mutable_phase(), event.mutable_state(), event.mutable_message()}) {
    *field = kHostile;
  }
  stage_.script.events = {event};
  stage_.script.insight = SupportedInsight();
  stage_.Run({"ask", file_, "q"});
  ExpectHarmless(stage_.err, "progress lines");
}

}  // namespace
}  // namespace conclave::cli
