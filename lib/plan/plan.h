// Plan: what a question asks for, as a value: source, filters, groups, aggregates, order, limit, form of the answer.
// Everything below a plan (programs in any language, its sentence, its shape) is derived from it and adds no meaning.
//
// Thread safety: value types.
// Ownership: value types.
//
//   Plan plan;                                     // mean fare of women by class
//   plan.table = "titanic";
//   plan.filters = {{.term = {sex}, .test = Test::kEqual, .literals = {{LiteralKind::kText, "female"}}}};
//   plan.keys = {{.term = {pclass}, .name = "pclass"}};
//   plan.aggregates = {{.function = Function::kMean, .term = {fare}, .name = "mean_fare"}};
#ifndef CONCLAVE_LIB_PLAN_PLAN_H_
#define CONCLAVE_LIB_PLAN_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conclave/v1/profile.pb.h"

namespace conclave {

constexpr bool HoldsDates(v1::ColumnType type) {
  return type == v1::COLUMN_DATE || type == v1::COLUMN_TIMESTAMP || type == v1::COLUMN_TIMESTAMPTZ;
}

struct Column {
  std::string name;
  v1::ColumnType type = v1::COLUMN_TYPE_UNSPECIFIED;
  bool nullable = false;          // the data holds missing values in it
  std::string time_zone = "UTC";  // of instants: the IANA name of the zone whose days, months and years are meant
  bool operator==(const Column&) const = default;
};

// What is taken of a date or timestamp.
enum class DatePart { kNone, kDay, kYear, kYearQuarter, kQuarterOfYear, kYearMonth, kMonthOfYear, kWeekday };

enum class Arithmetic { kNone, kAdd, kSubtract, kMultiply, kDivide };

// A value of one row: a column, a part of a date column, or two numeric columns combined. Null when a column in it is null.
struct Term {
  Column column;  // an empty name: no column, the row itself (only in counts and shares)
  DatePart part = DatePart::kNone;
  Arithmetic arithmetic = Arithmetic::kNone;
  Column other;  // right-hand side, with arithmetic
  bool operator==(const Term&) const = default;
};

enum class LiteralKind { kNumber, kText, kDate };

struct Literal {
  LiteralKind kind = LiteralKind::kNumber;
  std::string text;  // number: a decimal lexeme; date: "2024-03-01"
  bool operator==(const Literal&) const = default;
};

enum class Test {
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreaterOrEqual,
  kGreater,
  kBetween,     // two literals, both ends included
  kIn,          // any number of literals
  kIsNull,      // no literal
  kIsNotNull,   // no literal
  kStartsWith,  // one text literal; case makes no difference
  kContains,    // likewise
};

// A condition on one row, on a column or a part of a date: its term has no arithmetic. Rows in which the term is null fail
// every test but kIsNull.
struct Filter {
  Term term;
  Test test = Test::kEqual;
  std::vector<Literal> literals;
  bool folded = false;  // kEqual, kNotEqual, kIn of text: case and blanks at the ends make no difference
  bool operator==(const Filter&) const = default;
};

struct Key {
  Term term;
  std::string name;  // of the result column
  bool operator==(const Key&) const = default;
};

enum class Function {
  kCountRows,
  kCount,  // non-null values
  kCountDistinct,
  kCountNull,
  kSum,
  kMean,
  kMinimum,
  kMaximum,
  kRange,
  kStdSample,
  kStdPopulation,
  kVarianceSample,
  kVariancePopulation,
  kMedian,
  kQuantile,            // linear interpolation
  kInterquartileRange,  // likewise
  kPercentOfRows,       // rows that meet `condition`, in percent of rows in which it can be decided
  kPercentOfTotal,      // sum of the term (or number of rows) in a group, in percent of that over all groups
};

// Nulls are skipped; over no values at all, everything but a count is null.
struct Aggregate {
  Function function = Function::kCountRows;
  Term term;
  std::string quantile;           // kQuantile: "0.9"
  std::vector<Filter> condition;  // kPercentOfRows: all must hold
  std::string name;               // of the result column
  bool operator==(const Aggregate&) const = default;
};

// A condition on one group.
struct Having {
  size_t aggregate = 0;  // index into Plan::aggregates
  Test test = Test::kGreater;
  std::vector<Literal> literals;
  bool operator==(const Having&) const = default;
};

struct Order {
  std::string by;  // a result column
  bool descending = false;
  bool operator==(const Order&) const = default;
};

// Keeps the `count` best by one result column, and everything that ties with the last of them. Nulls never rank.
struct Ranking {
  std::string by;
  bool descending = true;
  int64_t count = 1;
  bool operator==(const Ranking&) const = default;
};

enum class Subject {
  kGroups,              // one result row a group; without keys one row in all
  kDistinct,            // distinct non-null combinations of the keys
  kRows,                // rows of the table; the keys are the result columns
  kColumnCount,         // how many columns the table has
  kColumnTypes,         // name and type of every column
  kMissingPerColumn,    // missing values of every column
  kMostMissingColumns,  // the columns with the most missing values; nothing when none is missing
};

// What the answer looks like, beyond its values.
struct Format {
  std::optional<int> decimals;  // asked for; values are computed in full precision and shown rounded
  std::string unit;             // "percent"
  bool ordered = false;         // the order of rows is part of the answer
  bool operator==(const Format&) const = default;
};

struct Plan {
  Subject subject = Subject::kGroups;
  std::string table;
  std::vector<Column> columns;  // all columns of the table; filled for questions about columns only
  std::vector<Filter> filters;  // all must hold
  std::vector<Key> keys;
  std::vector<Aggregate> aggregates;
  std::vector<Having> having;
  std::optional<Ranking> ranking;
  std::vector<Order> order;         // ties in it are resolved by the keys, ascending
  std::vector<std::string> output;  // result columns that are shown, in order; empty: all keys, then all aggregates
  Format format;
  bool operator==(const Plan&) const = default;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_PLAN_PLAN_H_
