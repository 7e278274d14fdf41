// Conditions on dates and on years and months of dates: "in 2012", "in March 2012", "after 2024-01-31".
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/persona/offline/grammar/conditions.h"

namespace conclave::offline {
namespace {

bool IsYear(const std::string& number) {
  return number.size() == 4 && std::all_of(number.begin(), number.end(), absl::ascii_isdigit) && number >= "1000" &&
         number < "3000";
}

}  // namespace

// Tests years on every column that can tell them.
void Conditions::AddYear(States* out, const State& state, Test test, const std::vector<std::string>& years) {
  std::vector<Literal> literals;
  for (const std::string& year : years) literals.push_back({LiteralKind::kNumber, year});
  for (const v1::ColumnProfile& column : catalog_.profile().columns()) {
    if (column.type() != v1::COLUMN_INTEGER || !IsNamedYear(column.name())) continue;
    State next = state;
    next.column = &column;
    next.test = test;
    next.literals = literals;
    *out = Join(std::move(*out), Finish({next}));
    return;
  }
  const std::vector<const v1::ColumnProfile*> dates = catalog_.DateColumns();
  for (const v1::ColumnProfile* column : dates) {
    State next = state;
    TakeDates(next, *column);
    const std::optional<std::pair<int, int>> range = YearsOf(*column);
    int year = 0;
    if (range && test == Test::kEqual && absl::SimpleAtoi(years[0], &year) && (year < range->first || year > range->second)) {
      Problem(next, absl::StrCat("no date in ", years[0], " occurs in `", column->name(), "`, which runs from ",
                                 column->min().date(), " to ", column->max().date()));
    }
    next.sketch.assumptions.push_back(absl::StrCat("years are those of `", column->name(), "`"));
    next.sketch.picks.emplace_back(years[0], column->name());
    Add(next, {{.column = catalog_.PlanColumn(*column), .part = DatePart::kYear}, test, literals});
    *out = Join(std::move(*out), {next});
  }
  if (!dates.empty()) return;
  State next = state;
  next.sketch.needs_dates = true;
  Problem(next, "the question names a year, but no column holds dates or years");
  Add(next, {{}, test, literals});
  *out = Join(std::move(*out), {next});
}

States Conditions::YearCondition(const States& in, Test test, std::optional<Keyword> joint) {
  struct Found {
    State state;
    std::vector<std::string> years;
  };
  std::vector<Found> found;
  for (const State& state : in) {
    std::string first;
    for (const State& one :
         Number({state}, [&](const std::string&text, State&) { return IsYear(text) && (first = text, true); })) {
      if (!joint) {
        found.push_back({one, {first}});
        continue;
      }
      std::string second;
      const auto take = [&](const std::string& text, State&) { return IsYear(text) && (second = text, true); };
      for (const State& two : Number(Key({one}, {*joint}), take)) found.push_back({two, {first, second}});
    }
  }
  States out;
  for (const Found& each : found) AddYear(&out, each.state, test, each.years);
  return out;
}

// "in March", "in March 2012".
States Conditions::MonthCondition(const States& in) {
  States out;
  for (const State& state : in) {
    int month = 0;
    const States named = Step({state}, [&](const Edge& edge, State&) {
      if (edge.kind != EdgeKind::kKeyword || edge.phrase->keyword != Keyword::kMonthName) return false;
      month = edge.phrase->number;
      return true;
    });
    for (const State& one : named) {
      const auto add = [&](const State& from, DatePart part, const Literal& literal) {
        for (const v1::ColumnProfile* column : catalog_.DateColumns()) {
          State next = from;
          TakeDates(next, *column);
          next.sketch.assumptions.push_back(absl::StrCat("months are those of `", column->name(), "`"));
          next.sketch.picks.emplace_back("month", column->name());
          Add(next, {{.column = catalog_.PlanColumn(*column), .part = part}, Test::kEqual, {literal}});
          out = Join(std::move(out), {next});
        }
      };
      add(one, DatePart::kMonthOfYear, {LiteralKind::kNumber, std::to_string(month)});
      std::string year;
      const auto take = [&](const std::string& text, State&) { return IsYear(text) && (year = text, true); };
      for (const State& two : Number({one}, take)) {
        add(two, DatePart::kYearMonth, {LiteralKind::kText, absl::StrFormat("%s-%02d", year, month)});
      }
    }
  }
  return out;
}

States Conditions::DateCondition(const States& in) {
  States out;
  const auto dated = [&](const States& states, Test test, std::optional<Keyword> joint) {
    for (const State& state : states) {
      std::vector<std::string> dates;
      const auto take = [&](const Edge& edge, State&) {
        return edge.kind == EdgeKind::kDate && (dates.push_back(edge.text), true);
      };
      States read = Step({state}, take);
      if (joint && !read.empty()) read = Step(Key(read, {*joint}), take);
      for (const State& one : read) {
        for (const v1::ColumnProfile* column : catalog_.DateColumns()) {
          State next = one;
          TakeDates(next, *column);
          next.column = column;
          next.test = test;
          for (const std::string& date : dates) next.literals.push_back({LiteralKind::kDate, date});
          next.sketch.picks.emplace_back(dates[0], column->name());
          next.sketch.assumptions.push_back(absl::StrCat("dates are those of `", column->name(), "`"));
          out = Join(std::move(out), Finish({next}));
        }
      }
    }
    out = Join(std::move(out), YearCondition(states, test, joint));
  };
  const States within = Key(in, {Keyword::kIn, Keyword::kOf});
  dated(within, Test::kEqual, std::nullopt);
  dated(within, Test::kBetween, Keyword::kTo);
  out = Join(std::move(out), MonthCondition(within));
  dated(Key(in, {Keyword::kBetween}), Test::kBetween, Keyword::kAnd);
  dated(Key(in, {Keyword::kAfter}), Test::kGreater, std::nullopt);
  dated(Key(in, {Keyword::kBefore}), Test::kLess, std::nullopt);
  dated(Key(in, {Keyword::kSince}), Test::kGreaterOrEqual, std::nullopt);
  dated(Key(in, {Keyword::kUntil}), Test::kLessOrEqual, std::nullopt);
  return out;
}

}  // namespace conclave::offline
