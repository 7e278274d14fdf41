#include "lib/plan/sql_writer.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/plan/case_folding.h"

namespace conclave {
namespace {

// SQLite refuses compound statements of more than 500 parts; longer ones are nested.
constexpr size_t kPartsOfUnion = 250;

std::string Quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (char c : text) {
    if (c == quote) result += quote;
    result += c;
  }
  result += quote;
  return result;
}

std::string Name(std::string_view name) { return Quoted(name, '"'); }
std::string Text(std::string_view text) { return Quoted(text, '\''); }

bool IsZoned(const Column& column) { return column.type == v1::COLUMN_TIMESTAMPTZ && column.time_zone != "UTC"; }

std::string DatePartOf(const Column& column, DatePart part) {
  std::string name = Name(column.name);
  // What clocks in the zone show; functions of the dialect take instants in UTC.
  if (IsZoned(column) && part != DatePart::kNone) name = absl::StrCat("timezone(", Text(column.time_zone), ", ", name, ")");
  switch (part) {
    case DatePart::kNone: return name;
    case DatePart::kDay: return absl::StrCat("strftime(", name, ", '%Y-%m-%d')");
    case DatePart::kYear: return absl::StrCat("year(", name, ")");
    case DatePart::kYearMonth: return absl::StrCat("strftime(", name, ", '%Y-%m')");
    case DatePart::kMonthOfYear: return absl::StrCat("month(", name, ")");
    case DatePart::kQuarterOfYear: return absl::StrCat("quarter(", name, ")");
    case DatePart::kYearQuarter:
      return absl::StrCat("CAST(year(", name, ") AS VARCHAR) || '-Q' || CAST(quarter(", name, ") AS VARCHAR)");
    case DatePart::kWeekday: return absl::StrCat("isodow(", name, ")");  // 1 is Monday
  }
  return name;
}

std::string Expression(const Term& term) {
  const std::string left = DatePartOf(term.column, term.part);
  const std::string right = Name(term.other.name);
  switch (term.arithmetic) {
    case Arithmetic::kNone: return left;
    case Arithmetic::kAdd: return absl::StrCat(left, " + ", right);
    case Arithmetic::kSubtract: return absl::StrCat(left, " - ", right);
    case Arithmetic::kMultiply: return absl::StrCat(left, " * ", right);
    case Arithmetic::kDivide: return absl::StrCat("1.0 * ", left, " / NULLIF(", right, ", 0)");
  }
  return "";
}

std::string Parenthesised(const Term& term) {
  return term.arithmetic == Arithmetic::kNone ? Expression(term) : absl::StrCat("(", Expression(term), ")");
}

std::string Value(const Literal& literal) { return literal.kind == LiteralKind::kNumber ? literal.text : Text(literal.text); }

// A text of the question with case folded; what is not ASCII is left to the engine, which knows its letters.
std::string FoldedText(std::string_view text) {
  const std::string folded = PartlyFolded(text);
  return IsAscii(folded) ? Text(folded) : absl::StrCat("lower(", Text(folded), ")");
}

std::string FoldedColumn(const std::string& expression, const std::vector<Literal>& literals) {
  const std::string lower = absl::StrCat("lower(", expression, ")");
  if (!FoldingFor(literals).sigma) return lower;
  return absl::StrCat("replace(", lower, ", ", Text(kFinalSigma), ", ", Text(kSigma), ")");
}

std::string PatternTest(const std::string& expression, const std::vector<Literal>& literals, Test test) {
  const std::string haystack = FoldedColumn(expression, literals);
  const std::string position = absl::StrCat("instr(", haystack, ", ", FoldedText(literals[0].text), ")");
  return absl::StrCat(position, test == Test::kStartsWith ? " = 1" : " > 0");
}

std::string_view WithoutBlanks(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string FoldedTest(const std::string& expression, const Filter& filter) {
  std::vector<std::string> values;
  for (const Literal& literal : filter.literals) values.push_back(FoldedText(WithoutBlanks(literal.text)));
  const std::string folded = FoldedColumn(absl::StrCat("trim(", expression, ")"), filter.literals);
  if (filter.test == Test::kIn) return absl::StrCat(folded, " IN (", absl::StrJoin(values, ", "), ")");
  return absl::StrCat(folded, filter.test == Test::kEqual ? " = " : " <> ", values[0]);
}

std::string TestOf(const std::string& expression, Test test, const std::vector<Literal>& literals) {
  const auto compared = [&](std::string_view sign) {
    return absl::StrCat(expression, " ", std::string(sign), " ", Value(literals[0]));
  };
  switch (test) {
    case Test::kEqual: return compared("=");
    case Test::kNotEqual: return compared("<>");
    case Test::kLess: return compared("<");
    case Test::kLessOrEqual: return compared("<=");
    case Test::kGreaterOrEqual: return compared(">=");
    case Test::kGreater: return compared(">");
    case Test::kBetween: return absl::StrCat(expression, " BETWEEN ", Value(literals[0]), " AND ", Value(literals[1]));
    case Test::kIn: {
      std::vector<std::string> values;
      for (const Literal& literal : literals) values.push_back(Value(literal));
      return absl::StrCat(expression, " IN (", absl::StrJoin(values, ", "), ")");
    }
    case Test::kIsNull: return absl::StrCat(expression, " IS NULL");
    case Test::kIsNotNull: return absl::StrCat(expression, " IS NOT NULL");
    case Test::kStartsWith:
    case Test::kContains: return PatternTest(expression, literals, test);
  }
  return "";
}

// A column of true and false is a condition by itself; "= 1" would compare it with a number.
std::string BooleanTest(const Filter& filter) {
  const bool yes = (filter.literals[0].text == "1") == (filter.test == Test::kEqual);
  return absl::StrCat(yes ? "" : "NOT ", Name(filter.term.column.name));
}

std::string Conjunction(const std::vector<Filter>& filters) {
  std::vector<std::string> parts;
  for (const Filter& filter : filters) {
    const bool equality = filter.test == Test::kEqual || filter.test == Test::kNotEqual;
    const bool boolean = filter.term.column.type == v1::COLUMN_BOOLEAN && equality;
    if (filter.folded) {
      parts.push_back(FoldedTest(Parenthesised(filter.term), filter));
      continue;
    }
    parts.push_back(boolean ? BooleanTest(filter) : TestOf(Parenthesised(filter.term), filter.test, filter.literals));
  }
  return absl::StrJoin(parts, " AND ");
}

std::string FromWhere(const Plan& plan) {
  std::string result = absl::StrCat("FROM ", Name(plan.table));
  if (!plan.filters.empty()) absl::StrAppend(&result, "\nWHERE ", Conjunction(plan.filters));
  return result;
}

std::string PercentOfRows(const Aggregate& aggregate) {
  std::vector<std::string> known;
  for (const Filter& filter : aggregate.condition) {
    if (filter.test == Test::kIsNull || filter.test == Test::kIsNotNull) continue;
    known.push_back(absl::StrCat(Parenthesised(filter.term), " IS NOT NULL"));
  }
  const std::string met = absl::StrCat("SUM(CASE WHEN ", Conjunction(aggregate.condition), " THEN 1 ELSE 0 END)");
  const std::string of =
      known.empty() ? "COUNT(*)" : absl::StrCat("SUM(CASE WHEN ", absl::StrJoin(known, " AND "), " THEN 1 ELSE 0 END)");
  return absl::StrCat("100.0 * ", met, " / NULLIF(", of, ", 0)");
}

std::string PercentOfTotal(const Plan& plan, const Aggregate& aggregate) {
  const std::string part =
      aggregate.term.column.name.empty() ? "COUNT(*)" : absl::StrCat("SUM(", Expression(aggregate.term), ")");
  return absl::StrCat("100.0 * ", part, " / NULLIF((SELECT ", part, " ", FromWhere(plan), "), 0)");
}

std::string AggregateExpression(const Plan& plan, const Aggregate& aggregate) {
  const std::string of = Expression(aggregate.term);
  const auto call = [&](std::string_view function) { return absl::StrCat(std::string(function), "(", of, ")"); };
  const auto quantile = [&](std::string_view at) { return absl::StrCat("quantile_cont(", of, ", ", std::string(at), ")"); };
  switch (aggregate.function) {
    case Function::kCountRows: return "COUNT(*)";
    case Function::kCount: return call("COUNT");
    case Function::kCountDistinct: return absl::StrCat("COUNT(DISTINCT ", of, ")");
    case Function::kCountNull: return absl::StrCat("COUNT(*) - COUNT(", of, ")");
    case Function::kSum: return call("SUM");
    case Function::kMean: return call("AVG");
    case Function::kMinimum: return call("MIN");
    case Function::kMaximum: return call("MAX");
    case Function::kRange: return absl::StrCat("MAX(", of, ") - MIN(", of, ")");
    case Function::kStdSample: return call("stddev_samp");
    case Function::kStdPopulation: return call("stddev_pop");
    case Function::kVarianceSample: return call("var_samp");
    case Function::kVariancePopulation: return call("var_pop");
    case Function::kMedian: return call("median");
    case Function::kQuantile: return quantile(aggregate.quantile);
    case Function::kInterquartileRange: return absl::StrCat(quantile("0.75"), " - ", quantile("0.25"));
    case Function::kPercentOfRows: return PercentOfRows(aggregate);
    case Function::kPercentOfTotal: return PercentOfTotal(plan, aggregate);
  }
  return "";
}

std::vector<std::string> ResultNames(const Plan& plan) {
  std::vector<std::string> names;
  for (const Key& key : plan.keys) names.push_back(key.name);
  for (const Aggregate& aggregate : plan.aggregates) names.push_back(aggregate.name);
  return names;
}

std::string HavingClause(const Plan& plan) {
  std::vector<std::string> parts;
  for (const Having& having : plan.having) {
    const std::string expression = AggregateExpression(plan, plan.aggregates[having.aggregate]);
    parts.push_back(TestOf(absl::StrCat("(", expression, ")"), having.test, having.literals));
  }
  return absl::StrCat("\nHAVING ", absl::StrJoin(parts, " AND "));
}

// The statement before ranking, order and choice of columns.
std::string Core(const Plan& plan) {
  std::vector<std::string> selected;
  std::vector<std::string> grouped;
  for (const Key& key : plan.keys) {
    selected.push_back(absl::StrCat(Expression(key.term), " AS ", Name(key.name)));
    grouped.push_back(Expression(key.term));
  }
  for (const Aggregate& aggregate : plan.aggregates) {
    selected.push_back(absl::StrCat(AggregateExpression(plan, aggregate), " AS ", Name(aggregate.name)));
  }
  const bool distinct = plan.subject == Subject::kDistinct;
  std::string result =
      absl::StrCat(distinct ? "SELECT DISTINCT " : "SELECT ", absl::StrJoin(selected, ", "), "\n", FromWhere(plan));
  if (distinct) {
    std::vector<std::string> present;
    for (const std::string& expression : grouped) present.push_back(absl::StrCat(expression, " IS NOT NULL"));
    absl::StrAppend(&result, plan.filters.empty() ? "\nWHERE " : " AND ", absl::StrJoin(present, " AND "));
  }
  if (plan.subject == Subject::kGroups && !grouped.empty()) {
    absl::StrAppend(&result, "\nGROUP BY ", absl::StrJoin(grouped, ", "));
    if (!plan.having.empty()) absl::StrAppend(&result, HavingClause(plan));
  }
  return result;
}

std::string OrderClause(const Plan& plan, const std::string& qualifier) {
  std::vector<std::string> parts;
  std::vector<std::string> used;
  const auto add = [&](const std::string& name, bool descending) {
    if (std::find(used.begin(), used.end(), name) != used.end()) return;
    used.push_back(name);
    parts.push_back(absl::StrCat(qualifier, Name(name), descending ? " DESC" : " ASC", " NULLS LAST"));
  };
  for (const Order& order : plan.order) add(order.by, order.descending);
  if (plan.subject != Subject::kRows || plan.ranking) {
    for (const Key& key : plan.keys) add(key.name, false);
  }
  return parts.empty() ? "" : absl::StrCat("\nORDER BY ", absl::StrJoin(parts, ", "));
}

std::string Indented(std::string_view text) {
  std::string result = "  ";
  for (char c : text) {
    result += c;
    if (c == '\n') result += "  ";
  }
  return result;
}

std::string Ranked(const Plan& plan, const std::string& core) {
  const std::vector<std::string> names = ResultNames(plan);
  std::string place = "place";
  while (std::find(names.begin(), names.end(), place) != names.end()) place += "_";
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(Name(name));
  const std::string list = absl::StrJoin(quoted, ", ");
  const std::string by = Name(plan.ranking->by);
  return absl::StrCat("SELECT ", list, "\nFROM (\n  SELECT ", list, ", RANK() OVER (ORDER BY ", by,
                      plan.ranking->descending ? " DESC" : " ASC", ") AS ", Name(place), "\n  FROM (\n",
                      Indented(Indented(core)), "\n  ) AS measured\n  WHERE ", by, " IS NOT NULL\n) AS ranked\nWHERE ",
                      Name(place), " <= ", plan.ranking->count);
}

const Key* WeekdayKey(const Plan& plan, const std::string& name) {
  for (const Key& key : plan.keys) {
    if (key.name == name && key.term.part == DatePart::kWeekday) return &key;
  }
  return nullptr;
}

std::string Shown(const Plan& plan, const std::string& name) {
  if (WeekdayKey(plan, name) == nullptr) return Name(name);
  static constexpr std::string_view kDays[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
  std::string result = absl::StrCat("CASE ", Name(name));
  for (int day = 1; day <= 7; ++day) absl::StrAppend(&result, " WHEN ", day, " THEN ", Text(kDays[day - 1]));
  return absl::StrCat(result, " END AS ", Name(name));
}

// Days of the week sort by number and show by name, so names are put on after sorting.
std::string Projected(const Plan& plan, const std::string& sorted, const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(Shown(plan, name));
  return absl::StrCat("SELECT ", absl::StrJoin(shown, ", "), "\nFROM (\n", Indented(sorted), "\n) AS sorted");
}

std::string RowsOrGroups(const Plan& plan) {
  const std::string core = Core(plan);
  const std::string kept = plan.ranking ? Ranked(plan, core) : core;
  const std::vector<std::string> all = ResultNames(plan);
  const std::vector<std::string> names = plan.output.empty() ? all : plan.output;
  const bool weekdays =
      std::any_of(names.begin(), names.end(), [&](const std::string& n) { return WeekdayKey(plan, n) != nullptr; });
  if (names == all && !weekdays) return absl::StrCat(kept, OrderClause(plan, ""));
  // The order of a subquery is not promised to last, so it is stated on the outside; qualified, because a shown weekday has the
  // same name as its number.
  return absl::StrCat(Projected(plan, kept, names), OrderClause(plan, "sorted."));
}

std::string_view TypeWord(v1::ColumnType type) {
  switch (type) {
    case v1::COLUMN_INTEGER: return "integer";
    case v1::COLUMN_REAL: return "real";
    case v1::COLUMN_BOOLEAN: return "boolean";
    case v1::COLUMN_DATE: return "date";
    case v1::COLUMN_TIMESTAMP:
    case v1::COLUMN_TIMESTAMPTZ: return "timestamp";
    default: return "text";
  }
}

std::string UnionOf(const std::vector<std::string>& parts) {
  if (parts.size() <= kPartsOfUnion) return absl::StrJoin(parts, "\nUNION ALL ");
  std::vector<std::string> chunks;
  for (size_t from = 0; from < parts.size(); from += kPartsOfUnion) {
    const size_t to = std::min(parts.size(), from + kPartsOfUnion);
    const std::vector<std::string> chunk(parts.begin() + static_cast<ptrdiff_t>(from),
                                         parts.begin() + static_cast<ptrdiff_t>(to));
    // DISTINCT keeps the engine from merging the parts into one statement again; parts differ in the column's name.
    chunks.push_back(
        absl::StrCat("SELECT DISTINCT * FROM (", absl::StrJoin(chunk, "\nUNION ALL "), ") AS part", chunks.size()));
  }
  return absl::StrJoin(chunks, "\nUNION ALL ");
}

std::string MissingPerColumn(const Plan& plan) {
  std::vector<std::string> parts;
  for (const Column& column : plan.columns) {
    parts.push_back(absl::StrCat("SELECT ", Text(column.name), " AS \"column\", COUNT(*) - COUNT(", Name(column.name),
                                 ") AS \"missing\" FROM ", Name(plan.table)));
  }
  return UnionOf(parts);
}

std::string ColumnTypes(const Plan& plan) {
  std::vector<std::string> parts;
  for (const Column& column : plan.columns) {
    // COUNT proves that the table has the column; its type is what reading the file decided.
    parts.push_back(absl::StrCat("SELECT ", Text(column.name), " AS \"column\", CASE WHEN COUNT(", Name(column.name),
                                 ") >= 0 THEN ", Text(TypeWord(column.type)), " END AS \"type\" FROM ", Name(plan.table)));
  }
  return UnionOf(parts);
}

}  // namespace

std::string WriteSql(const Plan& plan) {
  switch (plan.subject) {
    case Subject::kGroups:
    case Subject::kDistinct:
    case Subject::kRows: return RowsOrGroups(plan);
    case Subject::kColumnCount:
      return absl::StrCat("SELECT COUNT(\"type\") AS \"columns\" FROM (\n", Indented(ColumnTypes(plan)), "\n) AS types");
    case Subject::kColumnTypes: return ColumnTypes(plan);
    case Subject::kMissingPerColumn: return MissingPerColumn(plan);
    case Subject::kMostMissingColumns: {
      const std::string name = plan.table == "missing_values" ? "missing_values_" : "missing_values";
      return absl::StrCat("WITH ", name, " AS (\n", Indented(MissingPerColumn(plan)), "\n)\nSELECT \"column\" FROM ", name,
                          "\nWHERE \"missing\" > 0 AND \"missing\" = (SELECT MAX(\"missing\") FROM ", name,
                          ")\nORDER BY \"column\"");
    }
  }
  return "";
}

}  // namespace conclave
