#include "lib/plan/describe.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace conclave {
namespace {

std::string Enumerated(const std::vector<std::string>& parts, std::string_view last) {
  if (parts.empty()) return "";
  if (parts.size() == 1) return parts[0];
  const std::vector<std::string> head(parts.begin(), parts.end() - 1);
  return absl::StrCat(absl::StrJoin(head, ", "), " ", std::string(last), " ", parts.back());
}

std::string_view PartPhrase(DatePart part) {
  switch (part) {
    case DatePart::kNone: return "";
    case DatePart::kDay: return "the day of ";
    case DatePart::kYear: return "the year of ";
    case DatePart::kYearQuarter: return "the quarter (year-quarter) of ";
    case DatePart::kQuarterOfYear: return "the quarter of the year of ";
    case DatePart::kYearMonth: return "the month (year-month) of ";
    case DatePart::kMonthOfYear: return "the month of the year of ";
    case DatePart::kWeekday: return "the day of the week of ";
  }
  return "";
}

std::string TermPhrase(const Term& term) {
  if (term.column.name.empty()) return "rows";
  const std::string left = absl::StrCat("`", term.column.name, "`");
  const std::string right = absl::StrCat("`", term.other.name, "`");
  switch (term.arithmetic) {
    case Arithmetic::kNone: return absl::StrCat(std::string(PartPhrase(term.part)), left);
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
  for (const Filter& filter : filters) parts.push_back(TestPhrase(TermPhrase(filter.term), filter.test, filter.literals));
  return Enumerated(parts, "and");
}

std::string AggregatePhrase(const Aggregate& aggregate) {
  const std::string of = TermPhrase(aggregate.term);
  const auto with = [&](std::string_view words) { return absl::StrCat(std::string(words), " ", of); };
  switch (aggregate.function) {
    case Function::kCountRows: return "the number of rows";
    case Function::kCount: return with("the number of present values of");
    case Function::kCountDistinct: return with("the number of distinct values of");
    case Function::kCountNull: return with("the number of missing values of");
    case Function::kSum: return with("the sum of");
    case Function::kMean: return with("the mean of");
    case Function::kMinimum: return with("the minimum of");
    case Function::kMaximum: return with("the maximum of");
    case Function::kRange: return with("the range (maximum minus minimum) of");
    case Function::kStdSample: return with("the sample standard deviation of");
    case Function::kStdPopulation: return with("the population standard deviation of");
    case Function::kVarianceSample: return with("the sample variance of");
    case Function::kVariancePopulation: return with("the population variance of");
    case Function::kMedian: return with("the median of");
    case Function::kQuantile: return absl::StrCat("the ", aggregate.quantile, " quantile of ", of);
    case Function::kInterquartileRange: return with("the interquartile range of");
    case Function::kPercentOfRows: return absl::StrCat("the percentage of rows in which ", FiltersPhrase(aggregate.condition));
    case Function::kPercentOfTotal:
      return aggregate.term.column.name.empty() ? "the share of all rows, in percent"
                                                : absl::StrCat("the share of the total of ", of, ", in percent");
  }
  return of;
}

std::string NamePhrase(const Plan& plan, const std::string& name) {
  for (const Aggregate& aggregate : plan.aggregates) {
    if (aggregate.name == name) return AggregatePhrase(aggregate);
  }
  for (const Key& key : plan.keys) {
    if (key.name == name) return TermPhrase(key.term);
  }
  return name;
}

std::string KeysPhrase(const Plan& plan) {
  std::vector<std::string> parts;
  for (const Key& key : plan.keys) {
    const std::string phrase = TermPhrase(key.term);
    parts.push_back(phrase.starts_with("the ") ? phrase.substr(4) : phrase);
  }
  return Enumerated(parts, "and");
}

std::string AggregatesPhrase(const Plan& plan) {
  std::vector<std::string> parts;
  for (const Aggregate& aggregate : plan.aggregates) parts.push_back(AggregatePhrase(aggregate));
  return Enumerated(parts, "and");
}

std::string RankedPhrase(const Plan& plan) {
  std::vector<std::string> shown;
  for (const std::string& name : plan.output) shown.push_back(NamePhrase(plan, name));
  const std::string what = shown.empty() ? KeysPhrase(plan) : Enumerated(shown, "and");
  const std::string_view end = plan.ranking->descending ? "highest" : "lowest";
  const std::string by = NamePhrase(plan, plan.ranking->by);
  const bool groups = plan.subject == Subject::kGroups;
  const std::string over = groups ? absl::StrCat(", for each ", KeysPhrase(plan)) : "";
  if (plan.ranking->count == 1) {
    return absl::StrCat(what, groups ? " of the group with the " : " of the row with the ", std::string(end), " value of ", by,
                        over);
  }
  return absl::StrCat(what, " of the ", plan.ranking->count, groups ? " groups with the " : " rows with the ", std::string(end),
                      " values of ", by, over);
}

std::string CorePhrase(const Plan& plan) {
  switch (plan.subject) {
    case Subject::kColumnCount: return "the number of columns";
    case Subject::kColumnTypes: return "the name and type of every column";
    case Subject::kMissingPerColumn: return "the number of missing values of every column";
    case Subject::kMostMissingColumns: return "the column with the most missing values";
    case Subject::kDistinct: return absl::StrCat("the distinct values of ", KeysPhrase(plan));
    case Subject::kRows:
      return plan.ranking ? RankedPhrase(plan) : absl::StrCat("the values of ", KeysPhrase(plan), " row by row");
    case Subject::kGroups: break;
  }
  if (plan.ranking) return RankedPhrase(plan);
  return plan.keys.empty() ? AggregatesPhrase(plan) : absl::StrCat(AggregatesPhrase(plan), " for each ", KeysPhrase(plan));
}

std::string OrderPhrase(const Plan& plan) {
  std::vector<std::string> parts;
  for (const Order& order : plan.order) {
    parts.push_back(absl::StrCat(NamePhrase(plan, order.by), order.descending ? ", highest first" : ", lowest first"));
  }
  return absl::StrCat(", sorted by ", absl::StrJoin(parts, ", then by "));
}

bool Uses(const Plan& plan, std::initializer_list<Function> functions) {
  return std::any_of(plan.aggregates.begin(), plan.aggregates.end(), [&](const Aggregate& aggregate) {
    return std::find(functions.begin(), functions.end(), aggregate.function) != functions.end();
  });
}

bool UsesPart(const Plan& plan, std::initializer_list<DatePart> parts) {
  return std::any_of(plan.keys.begin(), plan.keys.end(),
                     [&](const Key& key) { return std::find(parts.begin(), parts.end(), key.term.part) != parts.end(); });
}

void AddFilterAssumptions(const std::vector<Filter>& filters, std::vector<std::string>* out) {
  for (const Filter& filter : filters) {
    const std::string term = TermPhrase(filter.term);
    const bool text = filter.test == Test::kStartsWith || filter.test == Test::kContains;
    if (text)
      out->push_back(absl::StrCat("upper and lower case are not told apart when looking for '", filter.literals[0].text, "'"));
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
        out->push_back(absl::StrCat("rows without a value of ", TermPhrase(key.term), " form a group of their own, (null)"));
    }
  }
  if (UsesPart(plan, {DatePart::kYearMonth, DatePart::kYearQuarter, DatePart::kYear, DatePart::kMonthOfYear,
                      DatePart::kQuarterOfYear}) &&
      !plan.ranking) {
    out->push_back("periods without rows are not listed");
  }
}

}  // namespace

std::string Describe(const Plan& plan) {
  std::string sentence = CorePhrase(plan);
  absl::StrAppend(&sentence, " in the table `", plan.table, "`");
  if (!plan.filters.empty()) absl::StrAppend(&sentence, ", over the rows where ", FiltersPhrase(plan.filters));
  std::vector<std::string> kept;
  for (const Having& having : plan.having) {
    kept.push_back(TestPhrase(AggregatePhrase(plan.aggregates[having.aggregate]), having.test, having.literals));
  }
  if (!kept.empty()) absl::StrAppend(&sentence, ", keeping groups in which ", Enumerated(kept, "and"));
  if (!plan.order.empty() && !plan.ranking) absl::StrAppend(&sentence, OrderPhrase(plan));
  if (plan.format.decimals) absl::StrAppend(&sentence, ", shown to ", *plan.format.decimals, " decimals");
  sentence[0] = static_cast<char>(sentence[0] >= 'a' && sentence[0] <= 'z' ? sentence[0] - 'a' + 'A' : sentence[0]);
  return sentence + ".";
}

std::vector<std::string> Assumptions(const Plan& plan) {
  std::vector<std::string> out;
  AddAggregateAssumptions(plan, &out);
  AddFilterAssumptions(plan.filters, &out);
  for (const Aggregate& aggregate : plan.aggregates) {
    if (aggregate.function != Function::kPercentOfRows) AddFilterAssumptions(aggregate.condition, &out);
  }
  AddKeyAssumptions(plan, &out);
  if (plan.ranking) out.push_back("everything that ties with the last place is returned");
  std::vector<std::string> unique;
  for (std::string& line : out) {
    if (std::find(unique.begin(), unique.end(), line) == unique.end()) unique.push_back(std::move(line));
  }
  return unique;
}

}  // namespace conclave
