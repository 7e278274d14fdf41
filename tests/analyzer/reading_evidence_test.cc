#include "lib/analyzer/reading_evidence.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace conclave {
namespace {

v1::Profile Recounted() {
  v1::Profile profile;
  profile.set_name("sales");
  profile.set_source("sales.csv");
  profile.mutable_recount()->set_done(true);
  return profile;
}

// One execution for each column, which loads it.
Executions Loading(std::initializer_list<std::string> columns) {
  Executions executions;
  for (const std::string& column : columns) executions.Add()->add_columns(column);
  return executions;
}

v1::Outcome Supported() {
  v1::Outcome outcome;
  outcome.set_kind(v1::SUPPORTED);
  return outcome;
}

TEST(ReadingEvidenceTest, ALostRowDisputesEveryAnswer) {
  v1::Profile profile = Recounted();
  profile.mutable_recount()->set_rows_differ(2);
  v1::Outcome outcome = Supported();
  WeighReadings({profile}, Loading({"sales.price"}), &outcome);
  EXPECT_EQ(outcome.kind(), v1::DISPUTED);
  EXPECT_EQ(outcome.reasons(0), "readers_differ");
  EXPECT_NE(outcome.explanation().find("sales.csv disagree about 2 rows"), std::string::npos);
}

TEST(ReadingEvidenceTest, ADifferingColumnDisputesAnswersThatUsedIt) {
  v1::Profile profile = Recounted();
  v1::Recount::Column* column = profile.mutable_recount()->add_columns();
  column->set_name("price");
  column->set_example("row 3: the file says \"1.5\", the store \"15\"");
  v1::Outcome outcome = Supported();
  WeighReadings({profile}, Loading({"sales.region"}), &outcome);
  EXPECT_EQ(outcome.kind(), v1::SUPPORTED);
  WeighReadings({profile}, Loading({"sales.region", "sales.price"}), &outcome);
  EXPECT_EQ(outcome.kind(), v1::DISPUTED);
  EXPECT_NE(outcome.explanation().find("row 3"), std::string::npos);
}

TEST(ReadingEvidenceTest, AReadingThatWasNotDoneIsSaid) {
  v1::Outcome outcome = Supported();
  WeighReadings({v1::Profile()}, {}, &outcome);
  EXPECT_EQ(outcome.kind(), v1::SUPPORTED);
  EXPECT_EQ(outcome.reasons(0), "read_once");
}

TEST(ReadingEvidenceTest, OutcomesThatAreNotDeliveredStayAsTheyAre) {
  v1::Profile profile = Recounted();
  profile.mutable_recount()->set_rows_differ(2);
  v1::Outcome outcome;
  outcome.set_kind(v1::NONE);
  outcome.add_reasons("declined");
  WeighReadings({profile}, {}, &outcome);
  EXPECT_EQ(outcome.kind(), v1::NONE);
  EXPECT_EQ(outcome.reasons_size(), 1);
}

void AddQuirk(google::protobuf::RepeatedPtrField<v1::Quirk>* quirks, const std::string& code, bool notable = true) {
  v1::Quirk* quirk = quirks->Add();
  quirk->set_code(code);
  quirk->set_detail(code + " happened");
  quirk->set_count(2);
  quirk->add_rows(3);
  quirk->set_notable(notable);
}

TEST(ReadingNotesTest, TellsWhatWasLostOfTheFileAndOfColumnsInUse) {
  v1::Profile profile = Recounted();
  AddQuirk(profile.mutable_quirks(), "long_row");
  for (const char* name : {"price", "region", "qty"}) {
    v1::ColumnProfile* column = profile.add_columns();
    column->set_name(name);
    AddQuirk(column->mutable_quirks(), std::string(name) + "_lost", std::string(name) != "qty");
  }
  EXPECT_EQ(ReadingNotes({profile}, Loading({"sales.price", "sales.qty"})),
            (std::vector<std::string>{"sales.csv: long_row happened (2 times, first in row 3)",
                                      "`price`: price_lost happened (2 times, first in row 3)"}));
  EXPECT_TRUE(ReadingNotes({Recounted()}, Loading({"sales.price"})).empty());
}

TEST(ReadingNotesTest, ManyAreCounted) {
  v1::Profile profile = Recounted();
  for (int i = 0; i < 9; ++i) AddQuirk(profile.mutable_quirks(), "odd");
  const std::vector<std::string> notes = ReadingNotes({profile}, {});
  ASSERT_EQ(notes.size(), 6u);
  EXPECT_EQ(notes.back(), "4 more like these: `conclave profile` lists them");
}

TEST(SpellingNotesTest, GroupsOfOneNameAreNamed) {
  v1::Answer answer;
  v1::ValueTable& table = *answer.mutable_value()->mutable_table();
  table.add_columns("region");
  table.add_columns("count");
  for (const char* label : {"South", "North", "south ", "SOUTH"}) {
    v1::ValueTable::Row& row = *table.add_rows();
    row.add_cells()->set_text(label);
    row.add_cells()->set_integer("1");
  }
  EXPECT_EQ(SpellingNotes(answer), (std::vector<std::string>{"'South', 'south ' and 'SOUTH' of `region` are counted apart"}));
  v1::Program told;
  told.add_notes("`region` has 3 spellings of one value");
  EXPECT_FALSE(SpellingNotes(answer, told).empty()) << "a note is not read";
  told.add_spellings("region");
  EXPECT_TRUE(SpellingNotes(answer, told).empty());
  *table.add_rows() = v1::ValueTable::Row(table.rows(1));  // rows of the table, not groups
  EXPECT_TRUE(SpellingNotes(answer).empty());
}

}  // namespace
}  // namespace conclave
