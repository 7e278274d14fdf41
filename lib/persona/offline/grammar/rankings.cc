// Questions for the first or last of something.
#include <utility>

#include "absl/strings/numbers.h"
#include "lib/persona/offline/grammar/grammar.h"

namespace conclave::offline {

// "which country has the highest score", "in which month were sales highest", "region with the most orders".
States Grammar::Which() {
  const States start = {State()};
  const States what = Key(Join(start, Key(start, {K::kIn})), {K::kWhat});
  const States which = Join(KeyTerm(what), RowLabel(what));
  const States named = KeyTerm(Lead());
  States has = RankMeasure(Superlative(Join(Key(which, {K::kHave, K::kWith}), Key(named, {K::kWith, K::kHave}))));
  // "in which month were sales highest"
  has = Join(std::move(has), Superlative(RankMeasure(Key(which, {K::kBe}))));
  for (State& state : has) state.sketch.form = Form::kRank;

  // "which regions have more than 10 orders"
  const States bounded =
      Step(Join(Key(which, {K::kHave, K::kWith}), Key(named, {K::kWith, K::kHave})), [](const Edge& edge, State& state) {
        if (edge.kind != EdgeKind::kKeyword || edge.phrase->keyword != K::kTest) return false;
        state.sketch.having = Having{0, edge.phrase->test, {}};
        return true;
      });
  States having = Rows(Number(bounded, [&](const std::string& text, State& state) {
    state.sketch.having->literals = {{LiteralKind::kNumber, CountOf(text, state)}};
    return true;
  }));
  for (State& state : having) {
    state.sketch.form = Form::kHaving;
    state.sketch.measures.push_back({.function = Function::kCountRows});
  }
  return Tail(Join(std::move(has), having));
}

// "top 5 products by quantity", "5 products with the highest quantity".
States Grammar::TopList() {
  const States lead = Lead();
  States top = Key(lead, {K::kTop});
  States bottom = Key(lead, {K::kBottom});
  for (State& state : bottom) state.sketch.descending = false;
  const auto counted = [&](const States& states) {
    return KeyTerm(Number(states, [&](const std::string& text, State& state) {
      return absl::SimpleAtoi(CountOf(text, state), &state.sketch.count) && state.sketch.count > 0 &&
             state.sketch.count <= 100000;
    }));
  };
  const States ends = counted(Join(std::move(top), bottom));
  States out = RankMeasure(Key(ends, {K::kBy, K::kIn}));
  // "top 5 states by airports"
  States rows = Rows(Key(ends, {K::kBy}));
  for (State& state : rows) state.sketch.measures.push_back({.function = Function::kCountRows});
  out = Join(std::move(out), rows);
  // The direction of "top 5 ... with the highest" is stated twice and must be the same.
  States twice;
  for (const State& state : Key(ends, {K::kBy, K::kWith})) {
    for (State& after : Superlative({state})) {
      if (after.sketch.descending == state.sketch.descending) twice.push_back(after);
    }
  }
  out = Join(std::move(out), RankMeasure(twice));
  out = Join(std::move(out), RankMeasure(Superlative(Key(counted(lead), {K::kWith}))));
  for (State& state : out) {
    state.sketch.form = Form::kRank;
    state.sketch.label_only = false;
  }
  return Tail(out);
}

// "most common region", "which region is most common", "which region occurs most often".
States Grammar::Common() {
  const States lead = Lead();
  const auto key = [&](const v1::ColumnProfile& column, State& state) { state.sketch.keys.push_back(Named(column)); };
  const auto common = [&](const States& in, K end) {
    States most = Key(Key(in, {K::kMost}), {end});
    States least = Key(Key(in, {K::kFewest}), {end});
    for (State& state : least) state.sketch.descending = false;
    return Join(std::move(most), least);
  };
  const States start = {State()};
  const States direct = Column(common(lead, K::kCommon), key);
  States out = Join(direct, Key(direct, {K::kValues}));
  const States values = Key(common(lead, K::kCommon), {K::kValues});
  out = Join(std::move(out), Column(Key(values, {K::kOf, K::kIn}), key));
  const States which = Column(Key(start, {K::kWhat}), key);
  const States either = Join(which, Key(which, {K::kValues}));
  out = Join(std::move(out), common(Key(either, {K::kBe}), K::kCommon));
  out = Join(std::move(out), common(Key(either, {K::kOccurs}), K::kOften));
  const States mode = Key(lead, {K::kMode});
  out = Join(std::move(out), Column(Join(mode, Key(mode, {K::kOf})), key));
  for (State& state : out) state.sketch.form = Form::kCommon;
  return Tail(out);
}

}  // namespace conclave::offline
