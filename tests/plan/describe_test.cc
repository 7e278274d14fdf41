#include "lib/plan/describe.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"

namespace conclave {
namespace {

TEST(DescribeTest, SaysEverythingThePlanSays) {
  Plan plan;
  plan.table = "sales";
  plan.filters = {{.term = {{"qty", v1::COLUMN_INTEGER, false}},
                   .test = conclave::Test::kBetween,
                   .literals = {{LiteralKind::kNumber, "1"}, {LiteralKind::kNumber, "5"}}}};
  plan.keys = {{.term = {{"date", v1::COLUMN_DATE, false}, DatePart::kYearMonth}, .name = "month"}};
  plan.aggregates = {{.function = Function::kStdSample, .term = {{"price", v1::COLUMN_REAL, true}}, .name = "std_price"}};
  plan.order = {{"std_price", true}};
  plan.format.decimals = 2;
  EXPECT_EQ(Describe(plan),
            "Sample standard deviation of `price` per month of `date` where `qty` is between 1 and 5 (both included), highest "
            "first, to 2 decimals.");
  EXPECT_EQ(Describe(plan, true).substr(0, 75), "Sample standard deviation of `price` per month of `date` in `sales` where `");
}

TEST(DescribeTest, PrintsDefaults) {
  Plan plan;
  plan.table = "sales";
  plan.keys = {{.term = {{"region", v1::COLUMN_TEXT, true}}, .name = "region"}};
  plan.aggregates = {
      {.function = Function::kVarianceSample, .term = {{"price", v1::COLUMN_REAL, true}}, .name = "var_price"},
      {.function = Function::kQuantile, .term = {{"price", v1::COLUMN_REAL, true}}, .quantile = "0.9", .name = "q9_price"}};
  plan.ranking = Ranking{.by = "var_price", .count = 3};
  const std::string all = absl::StrJoin(Assumptions(plan), "\n");
  for (const char* expected :
       {"divided by n - 1", "interpolated linearly", "missing values of `price` are skipped", "(missing)", "ties"}) {
    EXPECT_TRUE(absl::StrContains(all, expected)) << expected << " is not in\n" << all;
  }
}

TEST(DescribeTest, SaysWhyThereIsNothing) {
  const Filter north{.term = {{"region", v1::COLUMN_TEXT, false}}, .literals = {{LiteralKind::kText, "Nord"}}};
  const Filter many{.term = {{"qty", v1::COLUMN_INTEGER, false}},
                    .test = conclave::Test::kGreater,
                    .literals = {{LiteralKind::kNumber, "5"}}};
  Plan plan;
  plan.filters = {north};
  plan.aggregates = {{.function = Function::kCountRows, .name = "count"}};
  EXPECT_EQ(WhyZero(plan), "no row has `region` 'Nord'");
  plan.filters = {north, many};
  EXPECT_EQ(WhyZero(plan), "no row meets the condition that `region` is 'Nord' and `qty` is greater than 5");
  plan.aggregates = {{.function = Function::kSum, .term = {{"price", v1::COLUMN_REAL, false}}, .name = "sum_price"}};
  EXPECT_EQ(WhyZero(plan), "");
  plan.filters = {north};
  EXPECT_EQ(WhyNone(plan), "no row has `region` 'Nord'");
  plan.aggregates[0].term.column.nullable = true;
  EXPECT_EQ(WhyNone(plan), "no row where `region` is 'Nord' has a value of `price`");
  plan.aggregates[0].function = Function::kStdSample;
  EXPECT_EQ(WhyNone(plan), "it takes two rows where `region` is 'Nord' with a value of `price`, and there are fewer");
  plan.aggregates = {{.function = Function::kPercentOfRows, .condition = {many}, .name = "percent"}};
  plan.filters = {};
  EXPECT_EQ(WhyZero(plan), "no row meets the condition that `qty` is greater than 5");
}

}  // namespace
}  // namespace conclave
