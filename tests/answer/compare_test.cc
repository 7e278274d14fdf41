#include "lib/answer/compare.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/answer/digest.h"
#include "lib/answer/wire.h"

namespace conclave {
namespace {

v1::Answer FromJson(const std::string& text) {
  v1::Answer answer;
  absl::StatusOr<Json> json = ParseJson(text);
  EXPECT_TRUE(json.ok()) << text;
  EXPECT_TRUE(DecodeValue(*json, answer.mutable_value()).ok()) << text;
  const v1::Value& value = answer.value();
  answer.set_kind(value.has_integer()   ? v1::INTEGER
                  : value.has_number()  ? v1::NUMBER
                  : value.has_text()    ? v1::TEXT
                  : value.has_list()    ? v1::LIST
                  : value.has_map()     ? v1::MAP
                  : value.has_table()   ? v1::TABLE
                  : value.has_boolean() ? v1::BOOLEAN
                                        : v1::UNDEFINED);
  return answer;
}

Comparison CompareJson(const std::string& a, const std::string& b, const ComparisonContext& context = {}) {
  return Compare(FromJson(a), FromJson(b), context);
}

bool Agree(const std::string& a, const std::string& b, const ComparisonContext& context = {}) {
  const bool there = CompareJson(a, b, context).agree;
  EXPECT_EQ(CompareJson(b, a, context).agree, there) << a << " " << b;
  return there;
}

std::string Table(const std::string& columns, const std::string& rows) {
  return "{\"$table\": {\"columns\": [" + columns + "], \"rows\": [" + rows + "]}}";
}

TEST(Compare, CountsThatDifferByOneNeverAgree) {
  std::mt19937_64 random(1);
  ComparisonContext integer;
  integer.kind = v1::INTEGER;
  for (int digits = 1; digits < 60; ++digits) {
    for (int i = 0; i < 20; ++i) {
      std::string a(1, static_cast<char>('1' + random() % 9));
      while (static_cast<int>(a.size()) < digits) a.push_back(static_cast<char>('0' + random() % 10));
      a.back() = static_cast<char>('0' + random() % 9);
      if (digits == 1) a = "4";
      std::string b = a;
      ++b.back();
      for (const ComparisonContext& context : {integer, ComparisonContext()}) {
        EXPECT_FALSE(Agree(a, b, context)) << a;
        EXPECT_FALSE(Agree("[" + a + "]", "[" + b + "]", context)) << a;
        EXPECT_FALSE(Agree("[" + a + ",1]", "[1," + b + "]", context)) << a;
        EXPECT_FALSE(Agree("{\"n\": " + a + "}", "{\"n\": " + b + "}", context)) << a;
        EXPECT_FALSE(digits < 16 && Agree(a + ".0", b + ".0", context)) << a;
        EXPECT_FALSE(digits < 16 && Agree(a + ".0", b, context)) << a;
        EXPECT_FALSE(Agree("\"" + a + "\"", "\"" + b + "\"", context)) << a;
      }
      EXPECT_TRUE(Agree(a, a, integer));
    }
  }
}

TEST(Compare, SaysWhereTablesFirstDiffer) {
  Comparison compared =
      CompareJson(Table(R"("k", "v")", R"(["a", 1], ["b", 2])"), Table(R"("k", "v")", R"(["b", 3], ["a", 1])"));
  EXPECT_FALSE(compared.agree);
  EXPECT_EQ(compared.difference, "row 2, column v: 2 against 3");
  compared = CompareJson(Table(R"("k", "v")", R"(["a", 1.5], ["b", 2.5])"), Table(R"("k", "v")", R"(["a", 1.5], ["c", 2.5])"));
  EXPECT_EQ(compared.difference, "row 2 (\"b\", 2.5) has no counterpart");
  EXPECT_EQ(CompareJson("[1]", "[1, 2]").difference, "1 rows against 2");
}

TEST(Compare, NamesWinAndMapsAreNotTheirOnlyValue) {
  EXPECT_FALSE(Agree(R"({"North": 5})", R"({"South": 5})"));
  EXPECT_TRUE(Agree(R"({"mean": 5, "std": 1})", Table(R"("std", "mean")", "[1, 5]")));
  EXPECT_TRUE(Agree(R"({"a": 5, "b": 1})", Table(R"("k", "n")", R"(["b", 1], ["a", 5])")));
  EXPECT_TRUE(Agree(R"([["a", 5], ["b", 1]])", Table(R"("k", "n")", R"(["b", 1], ["a", 5])")));
  EXPECT_TRUE(Agree(R"([{"k": "a", "n": 5}, {"n": 1, "k": "b"}])", Table(R"("k", "n")", R"(["b", 1], ["a", 5])")));
}

TEST(Compare, FlagsOfAnEngineWithoutBooleansAgreeWithBooleans) {
  EXPECT_TRUE(Agree(Table(R"("s", "n")", "[0, 549], [1, 342]"), Table(R"("s", "n")", "[true, 342], [false, 549]")));
  EXPECT_FALSE(Agree(Table(R"("s", "n")", "[0, 549], [1, 342]"), Table(R"("s", "n")", "[true, 549], [false, 342]")));
}

TEST(Compare, OrderedRowsMayTradePlacesInATieOnly) {
  ComparisonContext ordered;
  ordered.ordered = true;
  const std::string a = Table(R"("k", "v")", R"(["a", 3.5], ["b", 2.5], ["c", 2.5], ["d", 1.5])");
  EXPECT_TRUE(Agree(a, Table(R"("k", "v")", R"(["a", 3.5], ["c", 2.5], ["b", 2.5], ["d", 1.5])"), ordered));
  EXPECT_FALSE(Agree(a, Table(R"("k", "v")", R"(["b", 2.5], ["a", 3.5], ["c", 2.5], ["d", 1.5])"), ordered));
  EXPECT_EQ(CompareJson(a, Table(R"("k", "v")", R"(["d", 1.5], ["c", 2.5], ["b", 2.5], ["a", 3.5])"), ordered).reason,
            "row_order");
}

TEST(Compare, HostileShapesAreDecidedNotComputed) {
  EXPECT_FALSE(Agree(R"({"$num": "1e999999999999999"})", R"({"$num": "1e-999999999999999"})"));
  EXPECT_FALSE(Agree(R"({"$num": "1e999999999999999"})", "0.5"));
  v1::Answer percent = FromJson(R"({"$num": "1e999999999999999"})");
  percent.set_unit("percent");
  EXPECT_FALSE(Compare(percent, FromJson("0.5"), {}).agree);
  ComparisonContext decimals;
  decimals.decimals = 2;
  EXPECT_FALSE(Agree(R"({"$num": "1e999999999999999"})", R"({"$num": "1.5e-999999999999999"})", decimals));
  EXPECT_TRUE(Agree(R"({"$num": "1e-999999999999999"})", "0", decimals));

  // A thousand look-alike columns under other names.
  std::string x, y, row;
  for (int i = 0; i < 1000; ++i) {
    const std::string comma = i == 0 ? "" : ",";
    x += comma + "\"x" + std::to_string(i) + "\"";
    y += comma + "\"y" + std::to_string(i) + "\"";
    row += comma + "1.5";
  }
  std::string rows = "[" + row + "]", other = "[" + row + "]";
  for (int i = 0; i < 100; ++i) rows += ",[" + row + "]", other += ",[" + row + "]";
  other[other.size() - 2] = '6';
  EXPECT_FALSE(CompareJson(Table(x, rows), Table(y, other)).agree);
}

std::string Lexeme(double value) {
  char buffer[40];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// A table of a label, an integer and two real columns, and the changes the properties are about.
struct RandomTable {
  std::vector<std::string> names = {"k", "n", "x", "y"};
  std::vector<std::string> labels;
  std::vector<int64_t> counts;
  std::vector<double> x, y;

  explicit RandomTable(std::mt19937_64* random) {
    const size_t rows = 1 + (*random)() % 6;
    for (size_t i = 0; i < rows; ++i) {
      labels.push_back(std::string(1, static_cast<char>('a' + (*random)() % 3)));
      counts.push_back(static_cast<int64_t>((*random)() % 4));
      x.push_back(std::ldexp(static_cast<double>((*random)() >> 12 | 1), -50));
      y.push_back((*random)() % 2 ? x.back() : std::ldexp(static_cast<double>((*random)() >> 12 | 1), -51));
    }
  }

  // The same but for noise, or with one cell changed.
  void Disturb(std::mt19937_64* random) {
    const size_t row = (*random)() % labels.size();
    switch ((*random)() % 5) {
      case 0: x[row] *= 1 + 1e-13; break;
      case 1: y[row] *= 1.001; break;
      case 2: ++counts[row]; break;
      case 3: labels[row] = "z"; break;
      default: break;
    }
  }

  void Permute(std::mt19937_64* random) {
    for (size_t i = labels.size(); i > 1; --i) {
      const size_t j = (*random)() % i;
      std::swap(labels[i - 1], labels[j]);
      std::swap(counts[i - 1], counts[j]);
      std::swap(x[i - 1], x[j]);
      std::swap(y[i - 1], y[j]);
    }
  }

  v1::Answer answer(int power = 0) const {
    v1::Answer result;
    result.set_kind(v1::TABLE);
    v1::ValueTable& table = *result.mutable_value()->mutable_table();
    for (const std::string& name : names) table.add_columns(name);
    for (size_t i = 0; i < labels.size(); ++i) {
      v1::ValueTable::Row& row = *table.add_rows();
      row.add_cells()->set_text(labels[i]);
      row.add_cells()->set_integer(std::to_string(counts[i] << power));
      row.add_cells()->set_number(Lexeme(std::ldexp(x[i], power)));
      row.add_cells()->set_number(Lexeme(std::ldexp(y[i], power)));
    }
    return result;
  }
};

TEST(CompareProperty, DecisionsSurviveSwapPermutationRenamingAndScaling) {
  std::mt19937_64 random(7);
  int agreed = 0;
  for (int round = 0; round < 2000; ++round) {
    const RandomTable a(&random);
    RandomTable b = a;
    b.Disturb(&random);
    const ComparisonContext context;
    const bool agree = Compare(a.answer(), b.answer(), context).agree;
    agreed += agree ? 1 : 0;
    EXPECT_TRUE(Compare(a.answer(), a.answer(), context).agree) << "reflexive";
    EXPECT_EQ(Compare(b.answer(), a.answer(), context).agree, agree) << "swap";
    RandomTable permuted = b;
    permuted.Permute(&random);
    EXPECT_EQ(Compare(a.answer(), permuted.answer(), context).agree, agree)
        << "permutation " << EncodeAnswer(a.answer()).Text() << EncodeAnswer(permuted.answer()).Text();
    EXPECT_EQ(AnswerDigest(permuted.answer(), context), AnswerDigest(b.answer(), context));
    RandomTable renamed = b;
    renamed.names = {"p", "q", "r", "s"};
    EXPECT_EQ(Compare(a.answer(), renamed.answer(), context).agree, agree)
        << "renaming " << EncodeAnswer(a.answer()).Text() << EncodeAnswer(renamed.answer()).Text();
    const int power = static_cast<int>(random() % 20);
    ComparisonContext scaled;
    scaled.absolute_tolerance = std::ldexp(context.absolute_tolerance, power);
    EXPECT_EQ(Compare(a.answer(power), b.answer(power), scaled).agree, agree) << "scaling";
  }
  EXPECT_GT(agreed, 400);
  EXPECT_LT(agreed, 1600);
}

TEST(CompareProperty, EqualDigestsAgree) {
  const char* const kValues[] = {"1",
                                 "1.0",
                                 "\"1\"",
                                 "\"a\"",
                                 "\" A \"",
                                 "null",
                                 "\"\"",
                                 "true",
                                 "[1]",
                                 "[1, 2]",
                                 "[2, 1]",
                                 "{\"a\": 1}",
                                 "[[1, 2]]",
                                 "{\"$date\": \"2024-03-01\"}",
                                 "\"2024-03-01\"",
                                 "1e0",
                                 "[\"a\"]",
                                 "{\"$table\": {\"columns\": [\"A\"], \"rows\": [[\"a\"]]}}",
                                 "{\"$num\": \"inf\"}"};
  for (const char* a : kValues) {
    for (const char* b : kValues) {
      const bool same = AnswerDigest(FromJson(a), {}) == AnswerDigest(FromJson(b), {});
      EXPECT_TRUE(!same || Agree(a, b)) << a << " " << b;
    }
    EXPECT_TRUE(Agree(a, a)) << a;
  }
}

TEST(Compare, AHundredThousandRowsInAnyOrder) {
  std::mt19937_64 random(3);
  v1::Answer a, b;
  a.set_kind(v1::TABLE);
  v1::ValueTable& table = *a.mutable_value()->mutable_table();
  table.add_columns("id");
  table.add_columns("name");
  table.add_columns("value");
  for (int i = 0; i < 100'000; ++i) {
    v1::ValueTable::Row& row = *table.add_rows();
    row.add_cells()->set_integer(std::to_string(i % 50'000));
    row.add_cells()->set_text("label " + std::to_string(i % 977));
    row.add_cells()->set_number(Lexeme(std::ldexp(static_cast<double>(random() >> 11), -40)));
  }
  b = a;
  auto& rows = *b.mutable_value()->mutable_table()->mutable_rows();
  for (int i = rows.size() - 1; i > 0; --i) rows.SwapElements(i, static_cast<int>(random() % static_cast<uint64_t>(i + 1)));
  EXPECT_TRUE(Compare(a, b, {}).agree);
  rows.Mutable(7)->mutable_cells(2)->set_number("0.5");
  EXPECT_FALSE(Compare(a, b, {}).agree);
}

}  // namespace
}  // namespace conclave
