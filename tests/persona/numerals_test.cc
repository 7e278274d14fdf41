// Numbers in questions, read as their columns are written.
#include "lib/persona/offline/numerals.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/persona/offline/reader.h"
#include "lib/plan/describe.h"
#include "tests/support/tables.h"

namespace conclave::offline {
namespace {

std::string Told(const Reading& reading) { return reading.plan ? Describe(*reading.plan) : reading.decline->reason; }

// "1.000" is a thousand where decimals have a comma, and one where they have a point.
TEST(NumeralsTest, NumbersAreReadAsTheirColumnIsWritten) {
  v1::Profile profile =
      tests::ParseTable("deals", "price:real,weight:real,qty:integer,name:text\n0.5,0.5,1,a\n9999,9999,9999,b\n").profile;
  profile.mutable_columns(0)->set_decimal_mark(",");
  profile.mutable_columns(1)->set_decimal_mark(".");
  const auto read = [&](const std::string& question) { return Told(ReadQuestion(question, {profile})); };
  const auto rows = [](const std::string& condition) { return absl::StrCat("Number of rows where ", condition, "."); };
  for (const char* thousand : {"1.000", "1.000,0", "1000", "1000,0"}) {
    const std::string outcome = read(absl::StrCat("How many rows where price is above ", thousand, "?"));
    EXPECT_TRUE(outcome == rows("`price` is greater than 1000") || outcome == rows("`price` is greater than 1000.0"))
        << outcome;
  }
  EXPECT_EQ(read("How many rows where price > 1,000?"), rows("`price` is greater than 1"));
  EXPECT_EQ(read("How many rows where price > -1.234,50?"), rows("`price` is greater than -1234.50"));
  EXPECT_EQ(read("How many rows where price is between 1.000 and 2,5?"),
            read("How many rows where price is between 1000 and 2.5?"));
  EXPECT_EQ(read("How many rows where price > 2.5?"), rows("`price` is greater than 2.5"));
  EXPECT_EQ(read("How many rows where weight > 1.000?"), rows("`weight` is greater than 1"));
  EXPECT_EQ(read("How many rows where weight > 1,000.5?"), rows("`weight` is greater than 1000.5"));

  const std::string both = "\"1.000\" is 1 with a decimal point and 1000 with a decimal comma, and ";
  for (const char* question : {"How many rows where qty > 1.000?", "Names with more than 1.000 rows"}) {
    const Reading open = ReadQuestion(question, {profile});
    ASSERT_TRUE(open.decline.has_value()) << question;
    EXPECT_TRUE(absl::StrContains(open.decline->reason, both)) << open.decline->reason;
    EXPECT_EQ(open.decline->suggestions, (std::vector<std::string>{"1", "1000"}));
  }
  EXPECT_TRUE(absl::StrContains(read("How many rows where weight > 1.234,50?"), "write 1234.5"));
  EXPECT_TRUE(absl::StrContains(read("How many rows where qty > 1 234?"), "write one number without blanks: 1234"));
}

// Where no column has a decimal comma, thousands with commas are what they are in English.
TEST(NumeralsTest, ThousandsWithCommasNeedNoDecimalPoint) {
  const v1::Profile profile = tests::ParseTable("deals", "qty:integer\n1\n9999\n").profile;
  const auto read = [&](const std::string& question) { return Told(ReadQuestion(question, {profile})); };
  EXPECT_EQ(read("How many rows where qty > 1,000?"), "Number of rows where `qty` is greater than 1000.");
  EXPECT_TRUE(absl::StrContains(read("How many rows where qty > 1.000?"), "is 1 with a decimal point and 1000 with"));
  EXPECT_TRUE(absl::StrContains(read("How many rows where qty > 1,5?"), "write 1.5"));
}

TEST(NumeralsTest, AnAnswerSaysHowAnAmbiguousNumberWasRead) {
  v1::Profile profile = tests::ParseTable("deals", "price:real\n0.5\n9999\n").profile;
  profile.mutable_columns(0)->set_decimal_mark(",");
  const Reading reading = ReadQuestion("How many rows with price above 1.000?", {profile});
  EXPECT_TRUE(absl::StrContains(absl::StrJoin(reading.assumptions, "\n"),
                                "\"1.000\" is 1000, because `price` is written with a decimal comma"));
}

}  // namespace
}  // namespace conclave::offline
