#include "lib/plan/describe.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/text.h"

namespace conclave {
namespace {

// What a part of a date is called; empty for the whole of it.
std::string_view PartName(DatePart part) {
  switch (part) {
    case DatePart::kNone: return "";
    case DatePart::kDay: return "day";
    case DatePart::kYear: return "year";
    case DatePart::kYearQuarter: return "quarter";
    case DatePart::kQuarterOfYear: return "quarter of the year";
    case DatePart::kYearMonth: return "month";
    case DatePart::kMonthOfYear: return "month of the year";
    case DatePart::kWeekday: return "weekday";
  }
  return "";
}

std::string TermPhrase(const Term& term) {
  if (term.column.name.empty()) return "rows";
  const std::string left = absl::StrCat("`", term.column.name, "`");
  const std::string right = absl::StrCat("`", term.other.name, "`");
  switch (term.arithmetic) {
    case Arithmetic::kNone:
      return term.part == DatePart::kNone ? left : absl::StrCat(std::string(PartName(term.part)), " of ", left);
    case Arithmetic::kAdd: return absl::StrCat(left, " + ", right);
    case Arithmetic::kSubtract: return absl::StrCat(left, " - ", right);
    case Arithmetic::kMultiply: return absl::StrCat(left, " * ", right);
    case Arithmetic::kDivide: return absl::StrCat(left, " / ", right);
  }
  return left;
}

std::string LiteralPhrase(const Literal& literal) {
  return literal.kind == LiteralKind::kText ? absl::StrCat("'", literal.text, "'") : literal.text;
}

std::string TestPhrase(const std::string& subject, Test test, const std::vector<Literal>& literals) {
  const auto with = [&](std::string_view words) {
    return absl::StrCat(subject, " ", std::string(words), " ", LiteralPhrase(literals[0]));
  };
  switch (test) {
    case Test::kEqual: return with("is");
    case Test::kNotEqual: return with("is not");
    case Test::kLess: return with("is less than");
    case Test::kLessOrEqual: return with("is at most");
    case Test::kGreaterOrEqual: return with("is at least");
    case Test::kGreater: return with("is greater than");
    case Test::kBetween: return absl::StrCat(with("is between"), " and ", LiteralPhrase(literals[1]), " (both included)");
    case Test::kIn: {
      std::vector<std::string> values;
      for (const Literal& literal : literals) values.push_back(LiteralPhrase(literal));
      return absl::StrCat(subject, " is one of ", absl::StrJoin(values, ", "));
    }
    case Test::kIsNull: return absl::StrCat(subject, " is missing");
    case Test::kIsNotNull: return absl::StrCat(subject, " is present");
    case Test::kStartsWith: return with("starts with");
    case Test::kContains: return with("contains");
  }
  return "";
}

std::string FiltersPhrase(const std::vector<Filter>& filters) {
  std::vector<std::string> parts;
  for (const Filter& filter : filters) {
    const std::string subject = absl::StrCat(filter.term.part == DatePart::kNone ? "" : "the ", TermPhrase(filter.term));
    std::vector<Literal> literals = filter.literals;
    // "yes or no" is not told in numbers.
    if (filter.term.column.type == v1::COLUMN_BOOLEAN) {
      for (Literal& literal : literals) literal = {LiteralKind::kDate, literal.text == "0" ? "false" : "true"};
    }
    // "2024-03" is no text of the table.
    for (Literal& literal : literals) literal.kind = filter.term.part == DatePart::kNone ? literal.kind : LiteralKind::kDate;
    parts.push_back(TestPhrase(subject, filter.test, literals));
  }
  return Enumerated(parts);
}

// What is taken of the values of a term: "mean", in "mean of `fare`". Empty for figures that are not told in this form.
std::string FunctionPhrase(const Aggregate& aggregate) {
  switch (aggregate.function) {
    case Function::kCount: return "number of present values";
    case Function::kCountDistinct: return "number of distinct values";
    case Function::kCountNull: return "number of missing values";
    case Function::kSum: return "total";
    case Function::kMean: return "mean";
    case Function::kMinimum: return "minimum";
    case Function::kMaximum: return "maximum";
    case Function::kRange: return "range (maximum minus minimum)";
    case Function::kStdSample: return "sample standard deviation";
    case Function::kStdPopulation: return "population standard deviation";
    case Function::kVarianceSample: return "sample variance";
    case Function::kVariancePopulation: return "population variance";
    case Function::kMedian: return "median";
    case Function::kQuantile: return absl::StrCat(aggregate.quantile, " quantile");
    case Function::kInterquartileRange: return "interquartile range";
    case Function::kCountRows:
    case Function::kPercentOfRows:
    case Function::kPercentOfTotal: return "";
  }
  return "";
}

// "total `sales`" and "mean `fare`" read well after "the highest"; other figures need their "of".
std::string AggregatePhrase(const Aggregate& aggregate, bool ranked) {
  const std::string of = TermPhrase(aggregate.term);
  switch (aggregate.function) {
    case Function::kCountRows: return "number of rows";
    case Function::kPercentOfRows: return absl::StrCat("percentage of rows where ", FiltersPhrase(aggregate.condition));
    case Function::kPercentOfTotal:
      return aggregate.term.column.name.empty() ? "share of all rows in percent"
                                                : absl::StrCat("share of total ", of, " in percent");
    default: break;
  }
  const bool plain = aggregate.term.arithmetic == Arithmetic::kNone;
  const bool short_form = aggregate.function == Function::kSum ||
                          (ranked && (aggregate.function == Function::kMean || aggregate.function == Function::kMedian ||
                                      aggregate.function == Function::kMinimum || aggregate.function == Function::kMaximum));
  return absl::StrCat(FunctionPhrase(aggregate), plain && short_form ? " " : " of ", of);
}

std::string NamePhrase(const Plan& plan, const std::string& name) {
  for (const Aggregate& aggregate : plan.aggregates) {
    if (aggregate.name == name) return AggregatePhrase(aggregate, true);
  }
  for (const Key& key : plan.keys) {
    if (key.name == name) return TermPhrase(key.term);
  }
  return name;
}

std::string KeysPhrase(const Plan& plan) {
  std::vector<std::string> parts;
  for (const Key& key : plan.keys) parts.push_back(TermPhrase(key.term));
  return Enumerated(parts);
}

// "minimum and maximum of `fare`, number of rows": figures of one term are told together.
std::string AggregatesPhrase(const Plan& plan) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < plan.aggregates.size();) {
    std::vector<std::string> functions;
    const Term& term = plan.aggregates[at].term;
    size_t end = at;
    for (; end < plan.aggregates.size() && plan.aggregates[end].term == term; ++end) {
      const std::string function = FunctionPhrase(plan.aggregates[end]);
      if (function.empty()) break;
      functions.push_back(function);
    }
    if (functions.size() > 1) {
      parts.push_back(absl::StrCat(Enumerated(functions), " of ", TermPhrase(term)));
      at = end;
    } else {
      parts.push_back(AggregatePhrase(plan.aggregates[at], false));
      ++at;
    }
  }
  return Enumerated(parts);
}

bool RanksRowCounts(const Plan& plan) {
  return std::any_of(plan.aggregates.begin(), plan.aggregates.end(), [&](const Aggregate& aggregate) {
    return aggregate.name == plan.ranking->by && aggregate.function == Function::kCountRows;
  });
}

// "`state` with the highest `murder`", "top 5 `product` by total `qty`".
std::string RankedPhrase(const Plan& plan) {
  const bool down = plan.ranking->descending;
  const std::string by = NamePhrase(plan, plan.ranking->by);
  std::vector<std::string> labels;
  for (const Key& key : plan.keys) {
    if (key.name != plan.ranking->by) labels.push_back(TermPhrase(key.term));
  }
  const std::string what = Enumerated(labels);
  if (plan.ranking->count > 1 || plan.output.empty())
    return absl::StrCat(down ? "top " : "bottom ", plan.ranking->count, " ", what, " by ", by);
  if (RanksRowCounts(plan)) return absl::StrCat(what, down ? " with the most rows" : " with the fewest rows");
  return absl::StrCat(what, down ? " with the highest " : " with the lowest ", by);
}

// "each `region` whose number of rows is greater than 10".
std::string KeptPhrase(const Plan& plan) {
  std::vector<std::string> kept;
  for (const Having& having : plan.having) {
    kept.push_back(TestPhrase(AggregatePhrase(plan.aggregates[having.aggregate], true), having.test, having.literals));
  }
  return Enumerated(kept);
}

bool Uses(const Plan& plan, std::initializer_list<Function> functions) {
  return std::any_of(plan.aggregates.begin(), plan.aggregates.end(), [&](const Aggregate& aggregate) {
    return std::find(functions.begin(), functions.end(), aggregate.function) != functions.end();
  });
}

std::string CorePhrase(const Plan& plan) {
  switch (plan.subject) {
    case Subject::kColumnCount: return "number of columns";
    case Subject::kColumnTypes: return "name and type of every column";
    case Subject::kMissingPerColumn: return "number of missing values in every column";
    case Subject::kMostMissingColumns: return "column with the most missing values";
    case Subject::kDistinct: return absl::StrCat("distinct values of ", KeysPhrase(plan));
    case Subject::kRows: return plan.ranking ? RankedPhrase(plan) : absl::StrCat(KeysPhrase(plan), " of every row");
    case Subject::kGroups: break;
  }
  if (plan.ranking) return RankedPhrase(plan);
  if (!plan.having.empty() && !plan.output.empty()) return absl::StrCat("each ", KeysPhrase(plan), " whose ", KeptPhrase(plan));
  const std::string figures = AggregatesPhrase(plan);
  if (plan.keys.empty()) return figures;
  return absl::StrCat(figures, Uses(plan, {Function::kPercentOfRows}) ? ", per " : " per ", KeysPhrase(plan));
}

std::string OrderPhrase(const Plan& plan) {
  const auto direction = [](const Order& order) { return order.descending ? ", highest first" : ", lowest first"; };
  if (plan.order.size() == 1 && plan.aggregates.size() == 1 && plan.order[0].by == plan.aggregates[0].name)
    return direction(plan.order[0]);
  std::vector<std::string> parts;
  for (const Order& order : plan.order) parts.push_back(absl::StrCat(NamePhrase(plan, order.by), direction(order)));
  return absl::StrCat(", sorted by ", absl::StrJoin(parts, ", then by "));
}

// Conditions apart from "has a label", which goes without saying in a ranking and is among the assumptions.
std::vector<Filter> ToldFilters(const Plan& plan) {
  std::vector<Filter> told = plan.filters;
  if (!plan.ranking && plan.having.empty()) return told;
  std::erase_if(told,
                [&](const Filter& filter) { return filter.test == Test::kIsNotNull && filter.term == plan.keys[0].term; });
  return told;
}

bool UsesPart(const Plan& plan, std::initializer_list<DatePart> parts) {
  return std::any_of(plan.keys.begin(), plan.keys.end(),
                     [&](const Key& key) { return std::find(parts.begin(), parts.end(), key.term.part) != parts.end(); });
}

// Where the days of moments begin and end.
void AddDayAssumptions(const Filter& filter, std::vector<std::string>* out) {
  const bool to_a_day = filter.test == Test::kBetween || filter.test == Test::kLessOrEqual;
  if (to_a_day) out->push_back(absl::StrCat("the whole of the last day, ", filter.literals.back().text, ", is included"));
}

void AddFilterAssumptions(const std::vector<Filter>& filters, std::vector<std::string>* out) {
  for (const Filter& filter : filters) {
    const std::string term = TermPhrase(filter.term);
    const bool text = filter.test == Test::kStartsWith || filter.test == Test::kContains;
    if (text)
      out->push_back(absl::StrCat("upper and lower case are not told apart when looking for '", filter.literals[0].text, "'"));
    if (filter.term.part == DatePart::kDay) AddDayAssumptions(filter, out);
    const bool null_test = filter.test == Test::kIsNull || filter.test == Test::kIsNotNull;
    if (!null_test && (filter.term.column.nullable || filter.term.other.nullable)) {
      out->push_back(absl::StrCat("rows in which ", term, " is missing do not meet the condition on it"));
    }
  }
}

void AddAggregateAssumptions(const Plan& plan, std::vector<std::string>* out) {
  if (Uses(plan, {Function::kStdSample})) out->push_back("the standard deviation is that of a sample (divided by n - 1)");
  if (Uses(plan, {Function::kStdPopulation})) out->push_back("the standard deviation is that of a population (divided by n)");
  if (Uses(plan, {Function::kVarianceSample})) out->push_back("the variance is that of a sample (divided by n - 1)");
  if (Uses(plan, {Function::kVariancePopulation})) out->push_back("the variance is that of a population (divided by n)");
  if (Uses(plan, {Function::kQuantile, Function::kInterquartileRange})) {
    out->push_back("quantiles are interpolated linearly between the two nearest values");
  }
  for (const Aggregate& aggregate : plan.aggregates) {
    if (aggregate.function == Function::kCountDistinct && aggregate.term.column.nullable) {
      out->push_back(absl::StrCat("a missing value of ", TermPhrase(aggregate.term), " is not counted as a value"));
    } else if (aggregate.function == Function::kPercentOfRows) {
      const bool nullable = std::any_of(aggregate.condition.begin(), aggregate.condition.end(),
                                        [](const Filter& filter) { return filter.term.column.nullable; });
      if (nullable)
        out->push_back(
            "rows in which the condition cannot be decided, because a value is missing, are left out of the percentage");
    } else if (aggregate.function == Function::kCountRows) {
      if (plan.keys.empty() && plan.filters.empty()) out->push_back("every row is counted, also with missing values");
    } else if (aggregate.function != Function::kCountNull &&
               (aggregate.term.column.nullable || aggregate.term.other.nullable)) {
      out->push_back(absl::StrCat("missing values of ", TermPhrase(aggregate.term), " are skipped"));
    }
  }
}

// Whose clocks say on which day, in which month or year an instant lies.
void AddZoneAssumption(const Term& term, std::vector<std::string>* out) {
  if (term.column.type != v1::COLUMN_TIMESTAMPTZ || term.part == DatePart::kNone) return;
  const std::string& zone = term.column.time_zone;
  out->push_back(zone == "UTC" ? "days are days in UTC" : absl::StrCat("days are days in the time zone ", zone));
}

// How values are held against those of the table, also where a condition is that of a percentage.
void AddComparisonAssumptions(const Plan& plan, std::vector<std::string>* out) {
  const auto add = [&](const Filter& filter) {
    AddZoneAssumption(filter.term, out);
    if (filter.folded)
      out->push_back(
          absl::StrCat("values of ", TermPhrase(filter.term), " are compared without regard to case and surrounding blanks"));
  };
  for (const Filter& filter : plan.filters) add(filter);
  for (const Aggregate& aggregate : plan.aggregates) {
    AddZoneAssumption(aggregate.term, out);
    for (const Filter& filter : aggregate.condition) add(filter);
  }
  for (const Key& key : plan.keys) AddZoneAssumption(key.term, out);
}

void AddKeyAssumptions(const Plan& plan, std::vector<std::string>* out) {
  for (const Key& key : plan.keys) {
    if (!key.term.column.nullable || plan.subject == Subject::kRows) continue;
    if (plan.subject == Subject::kDistinct) {
      out->push_back(absl::StrCat("a missing value of ", TermPhrase(key.term), " is not listed"));
    } else {
      const bool excluded = std::any_of(plan.filters.begin(), plan.filters.end(), [&](const Filter& filter) {
        return filter.term.column == key.term.column && filter.test != Test::kIsNull;
      });
      if (!excluded)
        out->push_back(absl::StrCat("rows without a value of ", TermPhrase(key.term), " form a group of their own, (missing)"));
    }
  }
  if (UsesPart(plan, {DatePart::kYearMonth, DatePart::kYearQuarter, DatePart::kYear, DatePart::kMonthOfYear,
                      DatePart::kQuarterOfYear}) &&
      !plan.ranking) {
    out->push_back("periods without rows are not listed");
  }
}

// "no row has `region` 'Nord'", "no row meets the condition that `qty` is greater than 5".
std::string NoRow(const std::vector<Filter>& filters) {
  if (filters.empty()) return "the table has no rows";
  const Filter& only = filters[0];
  if (filters.size() == 1 && only.test == Test::kEqual && only.term.part == DatePart::kNone)
    return absl::StrCat("no row has ", TermPhrase(only.term), " ", LiteralPhrase(only.literals[0]));
  return absl::StrCat("no row meets the condition that ", FiltersPhrase(filters));
}

bool CanBeMissing(const Term& term) {
  return term.arithmetic != Arithmetic::kNone || (!term.column.name.empty() && term.column.nullable);
}

// "no row has a value of `fare`", "no row where `sex` is 'female' has a value of `fare`".
std::string NoValue(const std::vector<Filter>& filters, const Term& term) {
  return absl::StrCat("no row", filters.empty() ? "" : absl::StrCat(" where ", FiltersPhrase(filters)), " has a value of ",
                      TermPhrase(term));
}

}  // namespace

std::string Describe(const Plan& plan, bool with_table) {
  std::string sentence = CorePhrase(plan);
  if (with_table) absl::StrAppend(&sentence, " in `", plan.table, "`");
  const std::vector<Filter> filters = ToldFilters(plan);
  const bool percentage = Uses(plan, {Function::kPercentOfRows});
  if (!filters.empty()) absl::StrAppend(&sentence, percentage ? ", among rows where " : " where ", FiltersPhrase(filters));
  if (!plan.having.empty() && plan.output.empty()) absl::StrAppend(&sentence, ", keeping groups whose ", KeptPhrase(plan));
  if (!plan.order.empty() && !plan.ranking) absl::StrAppend(&sentence, OrderPhrase(plan));
  if (plan.format.decimals)
    absl::StrAppend(&sentence, ", to ", *plan.format.decimals, *plan.format.decimals == 1 ? " decimal" : " decimals");
  sentence[0] = static_cast<char>(sentence[0] >= 'a' && sentence[0] <= 'z' ? sentence[0] - 'a' + 'A' : sentence[0]);
  return sentence + ".";
}

std::string WhyNone(const Plan& plan) {
  const bool whole = plan.subject == Subject::kGroups && plan.keys.empty() && !plan.aggregates.empty();
  const bool listed = plan.subject == Subject::kGroups || plan.subject == Subject::kRows || plan.subject == Subject::kDistinct;
  if (!whole) return listed && plan.having.empty() ? NoRow(ToldFilters(plan)) : "";
  const Aggregate& first = plan.aggregates[0];
  switch (first.function) {
    case Function::kStdSample:
    case Function::kVarianceSample:
      return absl::StrCat("it takes two rows", plan.filters.empty() ? "" : absl::StrCat(" where ", FiltersPhrase(plan.filters)),
                          " with a value of ", TermPhrase(first.term), ", and there are fewer");
    default: return CanBeMissing(first.term) ? NoValue(plan.filters, first.term) : NoRow(plan.filters);
  }
}

std::string WhyZero(const Plan& plan) {
  if (plan.subject != Subject::kGroups || !plan.keys.empty() || plan.aggregates.size() != 1) return "";
  const Aggregate& only = plan.aggregates[0];
  switch (only.function) {
    case Function::kCountRows: return NoRow(plan.filters);
    case Function::kCount:
    case Function::kCountDistinct: return CanBeMissing(only.term) ? NoValue(plan.filters, only.term) : NoRow(plan.filters);
    case Function::kPercentOfRows: {
      std::vector<Filter> all = plan.filters;
      all.insert(all.end(), only.condition.begin(), only.condition.end());
      return NoRow(all);
    }
    default: return "";
  }
}

std::string DescribeConditions(const std::vector<Filter>& conditions) { return FiltersPhrase(conditions); }

std::vector<std::string> Assumptions(const Plan& plan) {
  std::vector<std::string> out;
  AddAggregateAssumptions(plan, &out);
  AddFilterAssumptions(plan.filters, &out);
  for (const Aggregate& aggregate : plan.aggregates) {
    if (aggregate.function != Function::kPercentOfRows) AddFilterAssumptions(aggregate.condition, &out);
  }
  AddComparisonAssumptions(plan, &out);
  AddKeyAssumptions(plan, &out);
  if (plan.ranking) out.push_back(plan.ranking->count == 1 ? "ties are all listed" : "ties for the last place are all listed");
  return out;
}

}  // namespace conclave
