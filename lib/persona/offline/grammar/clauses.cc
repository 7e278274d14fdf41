#include "lib/persona/offline/grammar/clauses.h"

#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace conclave::offline {
namespace {

// "By month" names every month of every year apart, and the year also where there is only one: a bare 3 could be anything.
DatePart PartFor(DatePart part, const v1::ColumnProfile& column) {
  if (part == DatePart::kDay && column.type() == v1::COLUMN_DATE) return DatePart::kNone;
  return part;
}

}  // namespace

// "what is", "show", "list", or nothing.
States Clauses::Lead() {
  const States start = {State()};
  const States asked = Key(Key(start, {K::kWhat}), {K::kBe});
  const States shown = Key(start, {K::kShow});
  States listed = Key(start, {K::kList});
  for (State& state : listed) state.sketch.list = true;
  return Join(Join(Join(start, asked), shown), listed);
}

// What groups are made of: a column, or a part of a date.
States Clauses::KeyTerm(const States& in) {
  States out = Column(in, [&](const v1::ColumnProfile& column, State& state) { state.sketch.keys.push_back(Named(column)); });
  for (const State& state : in) {
    DatePart part = DatePart::kNone;
    for (const State& named : Step({state}, [&](const Edge&edge, State&) {
           if (edge.kind != EdgeKind::kKeyword || edge.phrase->keyword != K::kDatePart) return false;
           part = edge.phrase->part;
           return true;
         })) {
      for (const v1::ColumnProfile* column : catalog_.DateColumns()) {
        State next = named;
        TakeDates(next, *column);
        NamedTerm term = Named(*column);
        term.term.part = PartFor(part, *column);
        next.sketch.keys.push_back(term);
        next.sketch.picks.emplace_back(lattice_.Text(state.at, named.at), column->name());
        next.sketch.assumptions.push_back(absl::StrCat("periods are those of `", column->name(), "`"));
        out = Join(std::move(out), {next});
        // "month of order date"
        States of = Step(Key({named}, {K::kOf}),
                         [&](const Edge& edge, State&) { return edge.kind == EdgeKind::kColumn && edge.column == column; });
        for (State& explicit_state : of) explicit_state.sketch.keys.push_back(term);
        out = Join(std::move(out), of);
      }
      if (catalog_.DateColumns().empty()) {
        State next = named;
        next.sketch.keys.push_back({});
        Problem(next, absl::StrCat("the question names a period (\"", lattice_.Text(state.at, named.at),
                                   "\"), but no column holds dates"));
        out = Join(std::move(out), {next});
      }
    }
  }
  return out;
}

// "Which car": the one column that names every row.
States Clauses::RowLabel(const States& in) {
  const v1::ColumnProfile* label = nullptr;
  for (const v1::ColumnProfile& column : catalog_.profile().columns()) {
    if (column.type() != v1::COLUMN_TEXT || !IsUniquePerRow(column, catalog_.profile())) continue;
    if (label != nullptr) return {};
    label = &column;
  }
  if (label == nullptr) return {};
  States out = Rows(in);
  for (State& state : out) {
    state.sketch.keys.push_back(Named(*label));
    state.sketch.assumptions.push_back(absl::StrCat("rows are told apart by `", label->name(), "`"));
  }
  return out;
}

States Clauses::GroupClause(const States& in) {
  States open = in;
  std::erase_if(open, [](const State& state) { return !state.sketch.keys.empty(); });
  States out = KeyTerm(Key(Join(open, Key(open, {K::kComma})), {K::kBy}));
  States last = out;
  for (int i = 0; i < 2 && !last.empty(); ++i) {
    const States comma = Key(last, {K::kComma});
    const States joined = Join(Join(comma, Key(comma, {K::kAnd})), Key(last, {K::kAnd}));
    last = KeyTerm(Join(joined, Key(joined, {K::kBy})));
    out = Join(std::move(out), last);
  }
  return out;
}

// "highest first", "in descending order", "sorted by sales".
States Clauses::SortClause(const States& in) {
  States open = in;
  std::erase_if(open, [](const State& state) { return state.sketch.sort.has_value(); });
  open = Join(open, Key(open, {K::kComma}));
  const auto directed = [&](const States& states) {
    States down = Join(Key(states, {K::kDescending}), Key(Key(states, {K::kHighest}), {K::kFirst}));
    States up = Join(Key(states, {K::kAscending}), Key(Key(states, {K::kLowest}), {K::kFirst}));
    for (State& state : down)
      state.sketch.sort = {.by = state.sketch.sort ? state.sketch.sort->by : std::nullopt, .descending = true};
    for (State& state : up)
      state.sketch.sort = {.by = state.sketch.sort ? state.sketch.sort->by : std::nullopt, .descending = false};
    return Join(std::move(down), up);
  };
  const States sorted = Key(open, {K::kSorted});
  States named = Column(sorted, [&](const v1::ColumnProfile& column, State& state) {
    state.sketch.sort = {.by = Named(column), .descending = false};
  });
  // "sorted by count"
  States counts = Key(sorted, {K::kCountWord});
  std::erase_if(counts, [](const State& state) {
    return state.sketch.measures.size() != 1 || state.sketch.measures[0].function != Function::kCountRows;
  });
  for (State& state : counts) state.sketch.sort = {.by = std::nullopt, .descending = false};
  named = Join(std::move(named), counts);
  States out = Join(directed(open), directed(sorted));
  out = Join(std::move(out), named);
  const States comma = Key(named, {K::kComma});
  return Join(std::move(out), directed(Join(named, comma)));
}

// "to 2 decimals", "as a percentage".
States Clauses::FormatClause(const States& in) {
  const States start = Join(in, Key(in, {K::kComma}));
  States open = start;
  std::erase_if(open, [](const State& state) { return state.sketch.decimals.has_value(); });
  const States number = Number(Join(open, Key(open, {K::kRoundedTo})), [](const std::string& text, State& state) {
    int decimals = 0;
    if (!absl::SimpleAtoi(text, &decimals) || decimals < 0 || decimals > 15) return false;
    state.sketch.decimals = decimals;
    return true;
  });
  States out = Key(number, {K::kDecimals});
  States plain = start;
  std::erase_if(plain, [](const State& state) { return state.sketch.percent_format; });
  States percent = Key(Key(plain, {K::kAs}), {K::kPercent});
  for (State& state : percent) state.sketch.percent_format = true;
  return Join(std::move(out), percent);
}

// "in the table", "does the file have".
States Clauses::TableClause(const States& in) {
  const States within = Key(Key(in, {K::kIn, K::kOf}), {K::kTableWord});
  return Join(within, Key(Key(Key(in, {K::kDo}), {K::kTableWord}), {K::kHave}));
}

// Whatever may follow: conditions, groups, order, form, in any sequence.
States Clauses::Tail(const States& in) {
  States all = in;
  States frontier = in;
  for (int i = 0; i < 6 && !frontier.empty(); ++i) {
    States conditioned = frontier;
    const States comma = Key(frontier, {K::kComma});
    States joined = Key(frontier, {K::kAnd});
    std::erase_if(joined, [](const State& state) { return state.sketch.filters.empty() && state.sketch.condition.empty(); });
    conditioned = Condition(Join(Join(frontier, comma), joined));
    States next = Join(Join(conditioned, GroupClause(frontier)), SortClause(frontier));
    next = Join(Join(std::move(next), FormatClause(frontier)), TableClause(frontier));
    all = Join(std::move(all), next);
    frontier = std::move(next);
  }
  return all;
}

}  // namespace conclave::offline
