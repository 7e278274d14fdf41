#include "lib/plan/contradiction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/plan/case_folding.h"
#include "lib/plan/describe.h"

namespace conclave {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The values that a condition allows, on a line: numbers as they are, days as the number yyyymmdd.
struct Span {
  double low = -kInfinity;
  double high = kInfinity;
  bool low_included = true;
  bool high_included = true;

  bool empty() const { return low > high || (low == high && !(low_included && high_included)); }
};

std::optional<double> Number(std::string_view text) {
  double value = 0;
  if (!absl::SimpleAtod(std::string(text), &value) || std::isnan(value)) return std::nullopt;
  return value;
}

// The first and the last day, as yyyymmdd, of what a literal names: a day, a month or a year. Every month has 31 days here:
// only the order matters.
std::optional<Span> Days(DatePart part, const Literal& literal) {
  const std::vector<std::string> fields = absl::StrSplit(literal.text, '-');
  const size_t expected = part == DatePart::kYear ? 1 : part == DatePart::kYearMonth ? 2 : 3;
  if (fields.size() != expected) return std::nullopt;
  double low = 0, high = 0;
  for (size_t i = 0; i < 3; ++i) {
    const std::optional<double> given = i < fields.size() ? Number(fields[i]) : std::nullopt;
    if (i < fields.size() && !given) return std::nullopt;
    low = low * 100 + given.value_or(1);
    high = high * 100 + given.value_or(i == 1 ? 12 : 31);
  }
  return Span{.low = low, .high = high};
}

std::optional<Span> Point(const Term& term, const Literal& literal) {
  if (HoldsDates(term.column.type)) {
    const bool on_the_line = term.part == DatePart::kNone || term.part == DatePart::kDay || term.part == DatePart::kYear ||
                             term.part == DatePart::kYearMonth;
    return on_the_line ? Days(term.part, literal) : std::nullopt;
  }
  if (literal.kind != LiteralKind::kNumber) return std::nullopt;
  const std::optional<double> value = Number(literal.text);
  if (!value) return std::nullopt;
  return Span{.low = *value, .high = *value};
}

// What `filter` allows; nullopt where that is no piece of the line.
std::optional<Span> SpanOf(const Filter& filter) {
  if (filter.literals.empty()) return std::nullopt;
  const std::optional<Span> first = Point(filter.term, filter.literals.front());
  const std::optional<Span> last = Point(filter.term, filter.literals.back());
  if (!first || !last) return std::nullopt;
  switch (filter.test) {
    case Test::kEqual: return first;
    case Test::kLess: return Span{.high = first->low, .high_included = false};
    case Test::kLessOrEqual: return Span{.high = first->high};
    case Test::kGreaterOrEqual: return Span{.low = first->low};
    case Test::kGreater: return Span{.low = first->high, .low_included = false};
    case Test::kBetween: return Span{.low = first->low, .high = last->high};
    default: return std::nullopt;
  }
}

Span Common(const Span& a, const Span& b) {
  Span common = a;
  if (b.low > a.low || (b.low == a.low && !b.low_included)) {
    common.low = b.low;
    common.low_included = b.low_included;
  }
  if (b.high < a.high || (b.high == a.high && !b.high_included)) {
    common.high = b.high;
    common.high_included = b.high_included;
  }
  return common;
}

// True when `months` (a condition on the month of the year) allows no month that `days` touches.
bool MonthsMissed(const Filter& months, const Span& days) {
  const bool equal = months.test == Test::kEqual || months.test == Test::kIn;
  if (months.term.part != DatePart::kMonthOfYear || !equal || std::isinf(days.low) || std::isinf(days.high)) return false;
  const auto month = [](double day) {
    return static_cast<int64_t>(day) / 10000 * 12 + static_cast<int64_t>(day) / 100 % 100 - 1;
  };
  const int64_t first = month(days.low), last = month(days.high);
  return std::none_of(months.literals.begin(), months.literals.end(), [&](const Literal& literal) {
    const std::optional<double> wanted = Number(literal.text);
    if (!wanted || last - first >= 11) return true;
    for (int64_t at = first; at <= last; ++at) {
      if (at % 12 + 1 == static_cast<int64_t>(*wanted)) return true;
    }
    return false;
  });
}

bool SameValue(const Literal& a, const Literal& b) {
  const std::optional<double> x = Number(a.text), y = Number(b.text);
  if (a.kind == LiteralKind::kNumber && b.kind == LiteralKind::kNumber && x && y) return *x == *y;
  return a.text == b.text;
}

// Whether a row with the value `candidate` may meet `filter`, which is on the same term.
bool MayMeet(const Literal& candidate, const Filter& filter) {
  const bool exact = IsAscii(candidate.text) && std::all_of(filter.literals.begin(), filter.literals.end(),
                                                            [](const Literal& literal) { return IsAscii(literal.text); });
  const bool folding = filter.folded || filter.test == Test::kStartsWith || filter.test == Test::kContains;
  // Only an engine knows the case of letters that are not ASCII.
  if (folding && !exact) return true;
  const auto folded = [](const std::string& text) { return absl::AsciiStrToLower(text); };
  const auto is_candidate = [&](const Literal& literal) { return SameValue(literal, candidate); };
  switch (filter.test) {
    case Test::kEqual:
    case Test::kIn: return std::any_of(filter.literals.begin(), filter.literals.end(), is_candidate);
    case Test::kNotEqual: return std::none_of(filter.literals.begin(), filter.literals.end(), is_candidate);
    case Test::kStartsWith: return absl::StartsWith(folded(candidate.text), folded(filter.literals[0].text));
    case Test::kContains: return absl::StrContains(folded(candidate.text), folded(filter.literals[0].text));
    default: break;
  }
  const std::optional<Span> at = Point(filter.term, candidate);
  const std::optional<Span> allowed = SpanOf(filter);
  return !at || !allowed || !Common(*at, *allowed).empty();
}

// True when no row can meet both; a filter with itself: no row can meet it.
bool Exclude(const Filter& a, const Filter& b) {
  if (a.term.column.name != b.term.column.name) return false;
  if ((a.test == Test::kIsNull) != (b.test == Test::kIsNull)) return true;
  if (a.term != b.term && !HoldsDates(a.term.column.type)) return false;
  const std::optional<Span> x = SpanOf(a), y = SpanOf(b);
  if (x && y) return Common(*x, *y).empty();
  return (x && MonthsMissed(b, *x)) || (y && MonthsMissed(a, *y));
}

std::string Together(const std::vector<Filter>& filters) {
  return absl::StrCat("no row can meet what the question asks for: ", DescribeConditions(filters));
}

// Why no row meets all of `filters`; empty when some may.
std::string WhyNoRow(const std::vector<Filter>& filters) {
  for (size_t i = 0; i < filters.size(); ++i) {
    for (size_t j = 0; j <= i; ++j) {
      if (!Exclude(filters[j], filters[i])) continue;
      // Bounds are all that one condition can have the wrong way round.
      if (i == j) return absl::StrCat(Together({filters[i]}), "; name the lower bound first");
      return Together({filters[j], filters[i]});
    }
  }
  for (const Filter& given : filters) {
    if (given.test != Test::kEqual && given.test != Test::kIn) continue;
    std::vector<Filter> on_it;
    for (const Filter& other : filters) {
      if (other.term == given.term) on_it.push_back(other);
    }
    const bool possible = std::any_of(given.literals.begin(), given.literals.end(), [&](const Literal& candidate) {
      return std::all_of(on_it.begin(), on_it.end(), [&](const Filter& filter) { return MayMeet(candidate, filter); });
    });
    if (!possible && !given.literals.empty()) return Together(on_it);
  }
  return "";
}

// Why `aggregate` has one answer only, whatever the rows are that meet `filters`.
std::string WhyNoFigure(const Aggregate& aggregate, const std::vector<Filter>& filters) {
  if (aggregate.term.column.name.empty() || aggregate.term.arithmetic != Arithmetic::kNone) return "";
  const bool of_missing = aggregate.function == Function::kCountNull;
  for (const Filter& filter : filters) {
    if (filter.term.column.name != aggregate.term.column.name) continue;
    const bool missing = filter.test == Test::kIsNull;
    if (missing == of_missing) continue;
    return absl::StrCat("the question asks for ", of_missing ? "missing values of `" : "a figure of `", filter.term.column.name,
                        "` among rows where ", DescribeConditions({filter}), ", which have none");
  }
  return "";
}

}  // namespace

std::string Contradiction(const Plan& plan) {
  std::string why = WhyNoRow(plan.filters);
  for (const Aggregate& aggregate : plan.aggregates) {
    if (!why.empty()) return why;
    if (!aggregate.condition.empty()) {
      std::vector<Filter> all = plan.filters;
      all.insert(all.end(), aggregate.condition.begin(), aggregate.condition.end());
      why = WhyNoRow(all);
    }
    if (why.empty()) why = WhyNoFigure(aggregate, plan.filters);
  }
  return why;
}

}  // namespace conclave
