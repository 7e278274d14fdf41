#include "lib/analyzer/narration.h"

#include <gtest/gtest.h>

#include <string>

namespace conclave {
namespace {

v1::Answer Number(const std::string& lexeme) {
  v1::Answer answer;
  answer.set_kind(v1::NUMBER);
  answer.mutable_value()->set_number(lexeme);
  return answer;
}

TEST(NarrationTest, AnErrorOrADeclineIsNotTold) {
  v1::Answer answer;
  answer.set_kind(v1::ERROR);
  EXPECT_EQ(Narrate("mean of fare", answer), "");
  answer.set_kind(v1::DECLINED);
  EXPECT_EQ(Narrate("mean of fare", answer), "");
}

TEST(NarrationTest, AMissingValueIsNotANumber) {
  v1::Answer answer;
  answer.set_kind(v1::UNDEFINED);
  EXPECT_EQ(Narrate("mean of fare", answer),
            "Mean of fare: undefined: there are no values to compute it from, or it is beyond the range of numbers.");
  answer.set_kind(v1::EMPTY);
  EXPECT_EQ(Narrate("mean of fare.", answer), "Mean of fare: nothing in the data fits.");
}

TEST(NarrationTest, TellsTheAnswerWithItsStatedDecimals) {
  v1::Answer answer = Number("34.65");
  answer.set_decimals(2);
  EXPECT_EQ(Narrate("mean of fare.", answer), "Mean of fare: 34.65.");
  EXPECT_EQ(Narrate("", answer), "The answer is 34.65.");
}

TEST(NarrationTest, ATableIsAnnouncedWithoutNumbers) {
  v1::Answer answer;
  answer.set_kind(v1::TABLE);
  answer.mutable_value()->mutable_table()->add_columns("n");
  EXPECT_EQ(Narrate("count of rows per class", answer), "Count of rows per class:");
}

TEST(NarrationTest, ZeroAndNothingComeWithTheirReason) {
  v1::Answer answer;
  answer.set_kind(v1::INTEGER);
  answer.mutable_value()->set_integer("0");
  EXPECT_EQ(Narrate("number of rows", answer, "", "no row has `region` 'Nord'"),
            "Number of rows: 0, because no row has `region` 'Nord'.");
  answer.mutable_value()->set_integer("10");
  EXPECT_EQ(Narrate("number of rows", answer, "", "no row has `region` 'Nord'"), "Number of rows: 10.");
  answer.set_kind(v1::UNDEFINED);
  EXPECT_EQ(Narrate("mean", answer, "no row has `region` 'Nord'", ""), "Mean: undefined, because no row has `region` 'Nord'.");
  answer.set_kind(v1::EMPTY);
  EXPECT_EQ(Narrate("rows", answer, "no row has `region` 'Nord'", ""), "Rows: nothing, because no row has `region` 'Nord'.");
}

}  // namespace
}  // namespace conclave
