#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "lib/plan/pandas_writer.h"
#include "lib/plan/shape.h"
#include "lib/plan/sql_writer.h"

namespace conclave {
namespace {

const Column kFare{"fare", v1::COLUMN_REAL, false};
const Column kSex{"sex", v1::COLUMN_TEXT, true};
const Column kClass{"class", v1::COLUMN_INTEGER, false};
const Column kDate{"date", v1::COLUMN_DATE, true};

Plan MeanFareByClass() {
  Plan plan;
  plan.table = "titanic";
  plan.filters = {{.term = {kSex}, .test = conclave::Test::kEqual, .literals = {{LiteralKind::kText, "female"}}}};
  plan.keys = {{.term = {kClass}, .name = "class"}};
  plan.aggregates = {{.function = Function::kMean, .term = {kFare}, .name = "mean_fare"}};
  return plan;
}

bool Has(const std::string& code, const std::string& part) { return absl::StrContains(code, part); }

TEST(SqlWriterTest, WritesGroups) {
  EXPECT_EQ(WriteSql(MeanFareByClass()),
            "SELECT \"class\" AS \"class\", AVG(\"fare\") AS \"mean_fare\"\nFROM \"titanic\"\nWHERE \"sex\" = 'female'\n"
            "GROUP BY \"class\"\nORDER BY \"class\" ASC NULLS LAST");
}

TEST(PandasWriterTest, WritesGroups) {
  const std::string code = WritePandas(MeanFareByClass());
  EXPECT_TRUE(Has(code, "load([\"sex\", \"class\", \"fare\"], table=\"titanic\")")) << code;
  EXPECT_TRUE(Has(code, "dropna=False, observed=True, sort=False")) << code;
  EXPECT_TRUE(Has(code, ".mean()")) << code;
  EXPECT_FALSE(Has(code, "result_meta")) << code;
}

TEST(WritersTest, NamesAndTextsCannotLeaveTheirQuotes) {
  Plan plan = MeanFareByClass();
  plan.table = "a\"; drop";
  plan.filters[0].term.column.name = "s\"e\\x\n";
  plan.filters[0].literals[0].text = "O'Brien\"); import os #\\\n";
  const std::string sql = WriteSql(plan);
  EXPECT_TRUE(Has(sql, "\"a\"\"; drop\"")) << sql;
  EXPECT_TRUE(Has(sql, "'O''Brien\"); import os #\\\n'")) << sql;
  const std::string pandas = WritePandas(plan);
  EXPECT_TRUE(Has(pandas, R"("s\"e\\x\x0a")")) << pandas;
  EXPECT_TRUE(Has(pandas, R"("O'Brien\"); import os #\\\x0a")")) << pandas;
}

TEST(WritersTest, DividingIsNeverDivisionOfIntegers) {
  Plan plan;
  plan.table = "t";
  plan.aggregates = {{.function = Function::kPercentOfTotal, .name = "share"}};
  plan.keys = {{.term = {kClass}, .name = "class"}};
  EXPECT_TRUE(Has(WriteSql(plan), "100.0 * COUNT(*) / NULLIF(")) << WriteSql(plan);
  plan.aggregates = {{.function = Function::kMean, .term = {kFare, DatePart::kNone, Arithmetic::kDivide, kClass}, .name = "m"}};
  EXPECT_TRUE(Has(WriteSql(plan), "1.0 * \"fare\" / NULLIF(\"class\", 0)")) << WriteSql(plan);
}

TEST(WritersTest, MissingValuesFailEveryTestInPandasToo) {
  Plan plan = MeanFareByClass();
  plan.filters[0].test = conclave::Test::kNotEqual;
  EXPECT_TRUE(Has(WritePandas(plan), ".notna()")) << WritePandas(plan);
  plan.filters[0].term.column.nullable = false;
  EXPECT_FALSE(Has(WritePandas(plan), ".notna()")) << WritePandas(plan);
}

TEST(WritersTest, TiesAreKept) {
  Plan plan = MeanFareByClass();
  plan.ranking = Ranking{.by = "mean_fare", .descending = false, .count = 3};
  plan.output = {"class"};
  const std::string sql = WriteSql(plan);
  EXPECT_TRUE(Has(sql, "RANK() OVER (ORDER BY \"mean_fare\" ASC)")) << sql;
  EXPECT_TRUE(Has(sql, "<= 3")) << sql;
  EXPECT_FALSE(Has(sql, "LIMIT")) << sql;
  EXPECT_TRUE(Has(WritePandas(plan), "rank(method=\"min\", ascending=True) <= 3")) << WritePandas(plan);
}

// pandas wraps integers around and gives infinite totals, where SQL gives an error and nothing.
TEST(WritersTest, FiguresBeyondTheirRangeEndInPandasAsInSql) {
  Plan plan = MeanFareByClass();
  EXPECT_TRUE(Has(WritePandas(plan), "table[\"mean_fare\"].abs() != float(\"inf\")")) << WritePandas(plan);
  plan.aggregates = {{.function = Function::kSum, .term = {kClass}, .name = "sum_class"}};
  const std::string sum = WritePandas(plan);
  EXPECT_TRUE(Has(sum, "exact(frame[\"class\"])")) << sum;
  EXPECT_TRUE(Has(sum, "raise OverflowError(\"the sum does not fit in 64 bits\")")) << sum;
  plan.aggregates = {{.function = Function::kMaximum, .term = {kClass}, .name = "max_class"}};
  EXPECT_FALSE(Has(WritePandas(plan), "exact")) << WritePandas(plan);
  EXPECT_FALSE(Has(WritePandas(plan), "inf")) << WritePandas(plan);
}

TEST(WritersTest, RealsAndIntegersMeetAsRealsInPandas) {
  Plan plan = MeanFareByClass();
  plan.aggregates = {
      {.function = Function::kSum, .term = {kFare, DatePart::kNone, Arithmetic::kMultiply, kClass}, .name = "s"}};
  EXPECT_TRUE(Has(WritePandas(plan), "frame[\"fare\"] * frame[\"class\"].astype(\"float64\")")) << WritePandas(plan);
  plan.aggregates[0].term = {kClass, DatePart::kNone, Arithmetic::kAdd, kFare};
  EXPECT_TRUE(Has(WritePandas(plan), "frame[\"class\"].astype(\"float64\") + frame[\"fare\"]")) << WritePandas(plan);
  plan.aggregates[0].term = {kClass, DatePart::kNone, Arithmetic::kAdd, kClass};
  EXPECT_FALSE(Has(WritePandas(plan), "frame[\"class\"].astype(\"float64\")")) << WritePandas(plan);
}

TEST(WritersTest, ARangeBeyondIntegersIsAnErrorInPandas) {
  Plan plan = MeanFareByClass();
  plan.aggregates = {{.function = Function::kRange, .term = {kClass}, .name = "range_class"}};
  EXPECT_TRUE(Has(WritePandas(plan), "raise OverflowError(\"the range does not fit in 64 bits\")")) << WritePandas(plan);
  plan.aggregates[0].term = {kFare};
  EXPECT_FALSE(Has(WritePandas(plan), "OverflowError")) << WritePandas(plan);
}

// A fault in one writer must show as another program, which the other writer's program can be held against.
TEST(WritersTest, AnotherFunctionIsAnotherProgram) {
  const Plan plan = MeanFareByClass();
  Plan wrong = plan;
  wrong.aggregates[0].function = Function::kSum;
  EXPECT_NE(WriteSql(plan), WriteSql(wrong));
  EXPECT_NE(WritePandas(plan), WritePandas(wrong));
}

TEST(ShapeTest, SaysWhatIsComing) {
  Plan plan;
  plan.table = "titanic";
  plan.aggregates = {{.function = Function::kCountRows, .name = "count"}};
  EXPECT_EQ(ShapeOf(plan).kind(), v1::INTEGER);
  plan.aggregates = {{.function = Function::kMean, .term = {kFare}, .name = "mean_fare"}};
  plan.format.decimals = 2;
  EXPECT_EQ(ShapeOf(plan).kind(), v1::NUMBER);
  EXPECT_EQ(ShapeOf(plan).decimals(), 2);
  plan.aggregates = {{.function = Function::kMinimum, .term = {kDate}, .name = "min_date"}};
  EXPECT_EQ(ShapeOf(plan).kind(), v1::DATE);
  plan.keys = {{.term = {kSex}, .name = "sex"}};
  EXPECT_EQ(ShapeOf(plan).kind(), v1::TABLE);
  plan.ranking = Ranking{.by = "min_date"};
  plan.output = {"sex"};
  EXPECT_EQ(ShapeOf(plan).kind(), v1::TEXT);
}

TEST(WritersTest, TextsAreFoldedByBothEnginesAlike) {
  Plan plan = MeanFareByClass();
  plan.filters[0].folded = true;
  plan.filters[0].literals[0].text = " Female";
  EXPECT_TRUE(Has(WriteSql(plan), "WHERE lower(trim(\"sex\")) = 'female'")) << WriteSql(plan);
  EXPECT_TRUE(Has(WritePandas(plan), ".str.strip(\" \").str.lower().eq(\" female\".strip(\" \"))")) << WritePandas(plan);
  plan.filters[0].test = conclave::Test::kIn;
  plan.filters[0].literals.push_back({LiteralKind::kText, "É"});
  EXPECT_TRUE(Has(WriteSql(plan), "IN ('female', lower('É'))")) << WriteSql(plan);
}

TEST(WritersTest, PartsOfTextsAreFoldedWhateverTheirLetters) {
  Plan plan = MeanFareByClass();
  plan.filters[0].test = conclave::Test::kContains;
  plan.filters[0].literals[0].text = "Caf\u00c9";
  EXPECT_TRUE(Has(WriteSql(plan), "instr(lower(\"sex\"), lower('caf\u00c9')) > 0")) << WriteSql(plan);
  EXPECT_TRUE(Has(WritePandas(plan), ".str.lower().str.contains(\"caf\u00c9\".lower(), regex=False)")) << WritePandas(plan);
  plan.filters[0].literals[0].text = "\u03a3 \u0130";
  EXPECT_TRUE(Has(WriteSql(plan), "instr(replace(lower(\"sex\"), '\u03c2', '\u03c3'), lower('\u03c3 i')) > 0"))
      << WriteSql(plan);
  EXPECT_TRUE(Has(WritePandas(plan), ".str.replace(\"\u0130\", \"i\", regex=False).str.lower()")) << WritePandas(plan);
}

}  // namespace
}  // namespace conclave
