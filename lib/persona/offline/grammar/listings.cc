// Questions for values, for rows and about columns.
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/persona/offline/grammar/grammar.h"

namespace conclave::offline {
namespace {

bool TakesLabel(const v1::ColumnProfile& column) { return column.type() != v1::COLUMN_REAL; }

}  // namespace

// "distinct regions", "which regions are there".
States Grammar::DistinctLists() {
  const auto key = [&](const v1::ColumnProfile& column, State& state) {
    state.sketch.keys.push_back(Named(column));
    if (!TakesLabel(column))
      Problem(state, absl::StrCat("`", column.name(), "` is measured, so a list of its distinct values says little"));
  };
  const States start = {State()};
  const States what = Key(start, {K::kWhat});
  const States lead = Join(Lead(), what);
  const States distinct = Key(Join(lead, Key(lead, {K::kAll})), {K::kDistinct});
  States out = Column(distinct, key);
  out = Join(out, Key(out, {K::kValues}));
  out = Join(std::move(out), Column(Key(Key(distinct, {K::kValues}), {K::kOf, K::kIn}), key));
  out = Join(out, Key(out, {K::kBe, K::kExist}));
  const States which = Column(what, key);
  out = Join(std::move(out), Key(which, {K::kBe, K::kExist}));
  // "which states have poverty above 15", "states with poverty above 15"
  States held = Tail(Predicate(Key(Things(Join(what, Lead()), key), {K::kHave, K::kWith})));
  for (State& state : held) {
    CheckThings(state, *state.sketch.keys[0].column);
    state.sketch.form = Form::kDistinct;
  }
  // "list the states"
  States all = Things(Lead(), key);
  std::erase_if(all, [](const State& state) { return !state.sketch.list; });
  all = Join(all, SortClause(all));
  for (State& state : all) {
    state.sketch.form = Form::kDistinct;
    state.sketch.assumptions.push_back(absl::StrCat("each `", state.sketch.keys[0].column->name(), "` is listed once"));
  }
  // "products containing pro"
  for (State& state : PatternCondition(Lead())) {
    key(*state.column, state);
    state.sketch.assumptions.push_back(absl::StrCat("every value of `", state.column->name(), "` is listed once"));
    state.column = nullptr;
    out.push_back(std::move(state));
  }
  for (State& state : out) state.sketch.form = Form::kDistinct;
  return Join(Join(Tail(out), held), all);
}

// "list rows where region is not North", "names of passengers in class 1", "orders above 1000".
States Grammar::RowLists() {
  States lead = Lead();
  States listed = Subject(lead);
  std::erase_if(listed, [](const State& state) { return !state.sketch.list; });
  listed = Join(std::move(listed), Rows(lead));
  States columns = MeasureTerms(lead);
  columns = Subject(Key(columns, {K::kOf, K::kIn}));
  for (State& state : columns) {
    state.sketch.keys = state.terms;
    state.terms.clear();
  }
  States out = Tail(Join(std::move(listed), columns));
  std::erase_if(out, [](const State& state) {
    return state.sketch.filters.empty() || (!state.sketch.list && !state.sketch.keys.empty());
  });
  for (State& state : out) {
    state.sketch.form = Form::kRows;
    if (state.sketch.list) continue;
    state.sketch.form = Form::kMeasures;
    state.sketch.bare_count = true;
    state.sketch.measures.push_back({.function = Function::kCountRows});
  }
  return out;
}

// "how many columns, and of which type", "list the columns".
States Grammar::Schema() {
  const States start = {State()};
  const States lead = Lead();
  const States what = Key(start, {K::kWhat});
  States count = Key(Key(lead, {K::kHowMany}), {K::kColumnWord});
  count = Join(count, Key(count, {K::kBe, K::kExist}));
  const States listed =
      Join(Key(Join(lead, Key(lead, {K::kAll})), {K::kColumnWord}), Key(Key(what, {K::kColumnWord}), {K::kBe, K::kExist}));
  const States base = Join(count, listed);
  States joined = Join(Join(base, Key(base, {K::kComma})), Key(base, {K::kAnd}));
  joined = Join(std::move(joined), Key(Key(base, {K::kComma}), {K::kAnd}));
  const States qualified = Join(Join(joined, Key(joined, {K::kTheir})), Key(Join(joined, Key(joined, {K::kOf})), {K::kWhat}));
  States types = Key(qualified, {K::kType});
  types = Join(types, Key(types, {K::kBe}));
  types = Join(std::move(types), Key(Key(Key(lead, {K::kType}), {K::kOf, K::kBy}), {K::kColumnWord}));
  const States each = Key(Key(Key(what, {K::kType}), {K::kBe}), {K::kColumnWord});
  States all = Join(Join(std::move(types), listed), each);
  for (State& state : all) state.sketch.form = Form::kColumnTypes;
  for (State& state : count) state.sketch.form = Form::kColumnCount;
  States out = Join(std::move(count), all);
  return Join(out, TableClause(out));
}

// "which column has the most missing values", "missing values per column".
States Grammar::ColumnsWithMissing() {
  const States start = {State()};
  const States which = Key(Key(Key(start, {K::kWhat}), {K::kColumnWord}), {K::kHave, K::kWith});
  const States named = Key(Key(Lead(), {K::kColumnWord}), {K::kWith, K::kHave});
  States most = Key(Key(Join(which, named), {K::kMost}), {K::kMissing});
  most = Join(most, Key(most, {K::kValues}));
  for (State& state : most) state.sketch.form = Form::kMostMissing;
  const States lead = Lead();
  const States missing = Key(Join(lead, Key(lead, {K::kHowMany})), {K::kMissing});
  States each = Key(Key(Join(missing, Key(missing, {K::kValues})), {K::kBy}), {K::kColumnWord});
  for (State& state : each) state.sketch.form = Form::kMissingPerColumn;
  const States out = Join(std::move(most), each);
  return Join(out, TableClause(out));
}

}  // namespace conclave::offline
