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
       {"divided by n - 1", "interpolated linearly", "missing values of `price` are skipped", "(null)", "ties"}) {
    EXPECT_TRUE(absl::StrContains(all, expected)) << expected << " is not in\n" << all;
  }
}

}  // namespace
}  // namespace conclave
