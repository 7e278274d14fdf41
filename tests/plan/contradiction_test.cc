#include "lib/plan/contradiction.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/plan/describe.h"

namespace conclave {
namespace {

using T = ::conclave::Test;

const Column kGrade{"grade", v1::COLUMN_TEXT, true};
const Column kSales{"sales", v1::COLUMN_REAL, true};
const Column kWhen{"when", v1::COLUMN_DATE, false};

Filter Is(const Column& column, T test, std::vector<Literal> literals = {}, DatePart part = DatePart::kNone) {
  return {{.column = column, .part = part}, test, std::move(literals)};
}
Literal Text(const std::string& text) { return {LiteralKind::kText, text}; }
Literal Number(const std::string& text) { return {LiteralKind::kNumber, text}; }
Literal Day(const std::string& text) { return {LiteralKind::kDate, text}; }

Plan CountOf(std::vector<Filter> filters) {
  Plan plan;
  plan.table = "t";
  plan.filters = std::move(filters);
  plan.aggregates = {{.function = Function::kCountRows, .name = "rows"}};
  return plan;
}

TEST(ContradictionTest, NamesConditionsThatExcludeEachOther) {
  EXPECT_EQ(Contradiction(CountOf({Is(kGrade, T::kIsNull), Is(kGrade, T::kEqual, {Text("A")})})),
            "no row can meet what the question asks for: `grade` is missing and `grade` is 'A'");
  const std::vector<std::vector<Filter>> never = {
      {Is(kGrade, T::kIsNull), Is(kGrade, T::kIsNotNull)},
      {Is(kGrade, T::kIsNull), Is(kGrade, T::kNotEqual, {Text("A")})},
      {Is(kGrade, T::kEqual, {Text("A")}), Is(kGrade, T::kEqual, {Text("B")})},
      {Is(kGrade, T::kEqual, {Text("A")}), Is(kGrade, T::kNotEqual, {Text("A")})},
      {Is(kGrade, T::kIn, {Text("A"), Text("B")}), Is(kGrade, T::kEqual, {Text("C")})},
      {Is(kGrade, T::kIn, {Text("A"), Text("B")}), Is(kGrade, T::kNotEqual, {Text("A")}),
       Is(kGrade, T::kNotEqual, {Text("B")})},
      {Is(kGrade, T::kEqual, {Text("Alpha")}), Is(kGrade, T::kStartsWith, {Text("b")})},
      {Is(kGrade, T::kEqual, {Text("Alpha")}), Is(kGrade, T::kContains, {Text("x")})},
      {Is(kSales, T::kGreater, {Number("10")}), Is(kSales, T::kLess, {Number("5")})},
      {Is(kSales, T::kGreater, {Number("10")}), Is(kSales, T::kLessOrEqual, {Number("10")})},
      {Is(kSales, T::kEqual, {Number("3")}), Is(kSales, T::kGreater, {Number("10")})},
      {Is(kSales, T::kIn, {Number("3"), Number("4")}), Is(kSales, T::kGreater, {Number("10")})},
      {Is(kSales, T::kBetween, {Number("10"), Number("5")})},
      {Is(kWhen, T::kEqual, {Number("2024")}, DatePart::kYear), Is(kWhen, T::kLess, {Day("2024-01-01")})},
      {Is(kWhen, T::kEqual, {Number("2024")}, DatePart::kYear), Is(kWhen, T::kEqual, {Text("2023-03")}, DatePart::kYearMonth)},
      {Is(kWhen, T::kEqual, {Number("3")}, DatePart::kMonthOfYear),
       Is(kWhen, T::kBetween, {Day("2024-04-01"), Day("2025-02-28")})},
  };
  for (const std::vector<Filter>& filters : never)
    EXPECT_NE(Contradiction(CountOf(filters)), "") << DescribeConditions(filters);
}

TEST(ContradictionTest, AllowsConditionsThatSomeRowMayMeet) {
  const std::vector<std::vector<Filter>> possible = {
      {},
      {Is(kGrade, T::kIsNull)},
      {Is(kGrade, T::kIsNull), Is(kSales, T::kGreater, {Number("1")})},
      {Is(kGrade, T::kEqual, {Text("A")}), Is(kGrade, T::kIsNotNull)},
      {Is(kGrade, T::kEqual, {Text("A")}), Is(kGrade, T::kNotEqual, {Text("B")})},
      {Is(kGrade, T::kEqual, {Text("Alpha")}), Is(kGrade, T::kStartsWith, {Text("a")})},
      {Is(kGrade, T::kIn, {Text("A"), Text("B")}), Is(kGrade, T::kIn, {Text("B"), Text("C")})},
      {Is(kSales, T::kGreaterOrEqual, {Number("10")}), Is(kSales, T::kLessOrEqual, {Number("10.0")})},
      {Is(kSales, T::kEqual, {Number("10")}), Is(kSales, T::kLess, {Number("11")})},
      {Is(kWhen, T::kEqual, {Number("2024")}, DatePart::kYear), Is(kWhen, T::kGreater, {Day("2024-12-30")})},
      {Is(kWhen, T::kEqual, {Number("2024")}, DatePart::kYear), Is(kWhen, T::kEqual, {Number("3")}, DatePart::kMonthOfYear)},
      {Is(kWhen, T::kEqual, {Number("3")}, DatePart::kMonthOfYear),
       Is(kWhen, T::kBetween, {Day("2023-04-01"), Day("2024-03-01")})},
      {Is(kWhen, T::kEqual, {Number("3")}, DatePart::kMonthOfYear), Is(kWhen, T::kGreater, {Day("2024-05-01")})},
  };
  for (const std::vector<Filter>& filters : possible) EXPECT_EQ(Contradiction(CountOf(filters)), "");
}

TEST(ContradictionTest, LooksIntoPercentages) {
  Plan plan = CountOf({Is(kGrade, T::kEqual, {Text("A")})});
  plan.aggregates = {
      {.function = Function::kPercentOfRows, .condition = {Is(kGrade, T::kEqual, {Text("B")})}, .name = "percent"}};
  EXPECT_NE(Contradiction(plan), "");
  plan.aggregates[0].condition = {Is(kSales, T::kGreater, {Number("1")})};
  EXPECT_EQ(Contradiction(plan), "");
}

TEST(ContradictionTest, NamesFiguresThatTheConditionsLeaveWithoutAValue) {
  Plan plan = CountOf({Is(kSales, T::kIsNull)});
  plan.aggregates = {{.function = Function::kMean, .term = {.column = kSales}, .name = "mean"}};
  EXPECT_EQ(Contradiction(plan),
            "the question asks for a figure of `sales` among rows where `sales` is missing, which have none");
  plan.aggregates[0].function = Function::kCountNull;
  EXPECT_EQ(Contradiction(plan), "");
  plan.filters = {Is(kSales, T::kGreater, {Number("3")})};
  EXPECT_NE(Contradiction(plan), "");
  plan.aggregates[0].function = Function::kMean;
  EXPECT_EQ(Contradiction(plan), "");
}

}  // namespace
}  // namespace conclave
