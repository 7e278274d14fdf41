// Questions whose answer is figures: counts, measures, percentages.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/persona/offline/grammar/grammar.h"

namespace conclave::offline {

States Grammar::DistinctCounts(const States& how_many) {
  const auto count = [&](const v1::ColumnProfile& column, State& state) {
    state.sketch.measures.push_back({.function = Function::kCountDistinct, .of = Named(column)});
  };
  const States distinct = Key(how_many, {K::kDistinct});
  const States values = Key(distinct, {K::kValues});
  States direct = Column(distinct, count);
  States out = Join(direct, Key(direct, {K::kValues}));
  const States be = Key(values, {K::kBe});
  out = Join(std::move(out), Column(Key(Join(values, be), {K::kOf, K::kIn}), count));
  return Join(std::move(out), Key(Column(Key(values, {K::kDo}), count), {K::kHave}));
}

States Grammar::MissingCounts(const States& how_many) {
  const auto count = [&](const v1::ColumnProfile& column, State& state) {
    state.sketch.measures.push_back({.function = Function::kCountNull, .of = Named(column)});
  };
  const States missing = Key(how_many, {K::kMissing});
  const States values = Join(missing, Key(missing, {K::kValues}));
  const States be = Key(values, {K::kBe});
  States out = Column(Key(Join(values, be), {K::kOf, K::kIn}), count);
  out = Join(std::move(out), Key(Column(Key(values, {K::kDo}), count), {K::kHave}));
  const States named = Column(missing, count);
  out = Join(std::move(out), Join(named, Key(named, {K::kValues})));
  const States column = Column(how_many, count);
  const States column_values =
      Join(Join(column, Key(column, {K::kValues})), Column(Key(Key(how_many, {K::kValues}), {K::kOf, K::kIn}), count));
  out = Join(std::move(out), Key(Key(column_values, {K::kBe}), {K::kMissing}));
  const States be_missing = Key(Key(Key(how_many, {K::kValues}), {K::kBe}), {K::kMissing});
  return Join(std::move(out), Column(Key(be_missing, {K::kIn}), count));
}

// "how many states": things with a column of their own are counted once each.
States Grammar::ThingCounts(const States& lead) {
  // "Count of states" may as well mean how often each of them occurs.
  const States how_many = Step(lead, [](const Edge& edge, State&) {
    return edge.kind == EdgeKind::kKeyword && edge.phrase->keyword == K::kHowMany &&
           (edge.phrase->text.ends_with("many") || edge.phrase->text.ends_with("number of"));
  });
  const States things = Things(how_many, [&](const v1::ColumnProfile& column, State& state) {
    state.sketch.measures.push_back({.function = Function::kCountDistinct, .of = Named(column)});
    state.sketch.assumptions.push_back(absl::StrCat("each `", column.name(), "` is counted once"));
  });
  States out = Tail(Join(things, Key(things, {K::kBe, K::kExist})));
  for (State& state : out) CheckThings(state, *state.sketch.measures.back().of.column);
  return out;
}

// "how many passengers survived", "number of distinct customers", "how many ages are missing", "count of rows by class".
States Grammar::Counts() {
  const States lead = Lead();
  const States how_many = Key(lead, {K::kHowMany});
  States counted = Join(Subject(how_many), Key(Rows(lead), {K::kCountWord}));
  const States bare = Key(lead, {K::kCountWord});
  States grouped = GroupClause(bare);
  counted = Join(counted, Key(counted, {K::kBe, K::kExist}));
  counted = Join(std::move(counted), grouped);
  for (State& state : PatternCondition(how_many)) {
    state.sketch.assumptions.push_back(
        absl::StrCat("rows are counted, also where they share a value of `", state.column->name(), "`"));
    state.column = nullptr;
    counted.push_back(std::move(state));
  }
  // "airports per state"
  States per = GroupClause(Rows(lead));
  std::erase_if(per, [](const State& state) { return state.sketch.list; });
  counted = Join(std::move(counted), per);
  for (State& state : counted) state.sketch.measures.push_back({.function = Function::kCountRows});
  States missing = MissingCounts(Join(how_many, lead));
  States distinct = DistinctCounts(how_many);
  distinct = Join(distinct, Key(distinct, {K::kBe, K::kExist}));
  return Join(Tail(Join(Join(std::move(counted), distinct), missing)), ThingCounts(lead));
}

// "mean fare of women", "sales by month".
States Grammar::Measures() {
  const States lead = Lead();
  const States list = MeasureList(lead);
  States of = Subject(Key(list, {K::kOf, K::kIn}));
  States bare = MeasureTerm(lead);
  for (State& state : bare) {
    state.sketch.measures.push_back({.of = state.terms[0]});
    state.terms.clear();
  }
  States of_some = bare;
  std::erase_if(of_some, [](const State& state) { return state.sketch.list; });
  States grouped = Tail(Join(bare, Subject(Key(of_some, {K::kOf}))));
  // "how much precipitation was there in 2014"
  States much = MeasureTerm(Key({State()}, {K::kHowMuch}));
  for (State& state : much) {
    state.sketch.measures.push_back({.of = state.terms[0]});
    state.terms.clear();
  }
  much = Tail(Join(much, Key(much, {K::kBe, K::kExist})));
  // A column by itself is no question; with groups or conditions on other columns it is a total.
  std::erase_if(grouped, [](const State& state) {
    const std::vector<Filter>& filters = state.sketch.filters;
    const conclave::Column& measured = state.sketch.measures[0].of.term.column;
    return (state.sketch.keys.empty() && filters.empty()) ||
           std::any_of(filters.begin(), filters.end(), [&](const Filter& filter) { return filter.term.column == measured; });
  });
  return Join(Join(Tail(Join(list, of)), grouped), much);
}

// "what percentage of women survived", "share of sales by region".
States Grammar::Percentages() {
  const States start = {State()};
  const States asked = Key(start, {K::kWhat});
  const States lead = Join(Lead(), asked);
  const States of = Key(Key(lead, {K::kPercent}), {K::kOf});

  States subject = Subject(of);
  // "passengers in class 1": the condition narrows what is counted, if it is tied by a preposition.
  subject = Join(subject, Predicate(Key(subject, {K::kIn})));
  States decided;
  const States plain = Join(subject, Key(subject, {K::kIn, K::kBe, K::kDo, K::kHave}));
  const States relative = Key(subject, {K::kWith});
  const auto conditions = [&](States tied) {
    for (State& state : tied) state.into_condition = true;
    tied = Join(tied, Key(tied, {K::kBe, K::kDo, K::kHave}));
    States met = Predicate(tied);
    const States both = Key(met, {K::kAnd});
    return Join(met, Predicate(Join(both, Key(both, {K::kBe, K::kDo, K::kHave}))));
  };
  States met = conditions(plain);
  const States narrowed = Predicate(Key(
      [&] {
        States outside = met;
        for (State& state : outside) state.into_condition = false;
        return outside;
      }(),
      {K::kIn}));
  met = Join(Join(std::move(met), narrowed), conditions(relative));
  // "percentage of women"
  States among = of;
  for (State& state : among) state.into_condition = true;
  States alone = Subject(among);
  std::erase_if(alone, [](const State& state) { return state.sketch.condition.empty(); });
  for (State& state : met) state.sketch.measures.push_back({.function = Function::kPercentOfRows});
  for (State& state : alone) state.sketch.measures.push_back({.function = Function::kPercentOfRows});
  const States met_format = Join(met, FormatClause(met));
  States out = Join(met_format, GroupClause(met_format));
  out = Join(out, Join(SortClause(out), FormatClause(out)));
  out = Join(std::move(out), Join(alone, Join(FormatClause(alone), TableClause(alone))));

  const States total = Join(of, Key(of, {K::kTotal}));
  States shares = MeasureTerm(total);
  for (State& state : shares) {
    state.sketch.measures.push_back({.function = Function::kPercentOfTotal, .of = state.terms[0]});
    state.terms.clear();
  }
  States rows = Rows(total);
  for (State& state : rows) state.sketch.measures.push_back({.function = Function::kPercentOfTotal});
  States grouped = Tail(GroupClause(Join(std::move(shares), rows)));
  return Join(std::move(out), grouped);
}

}  // namespace conclave::offline
