#include "lib/persona/offline/grammar/figures.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace conclave::offline {

States Figures::Things(const States& in, const std::function<void(const v1::ColumnProfile&, State&)>& use) {
  States out;
  for (const State& state : in) {
    const bool rows = !Rows({state}).empty();
    for (State& named : Column({state}, [&](const v1::ColumnProfile&column, State&after) {
           after.column = &column;
           use(column, after);
         })) {
      const v1::ColumnProfile& column = *named.column;
      if (!NamesThings(column) || (rows && IsUniquePerRow(column, catalog_.profile()))) continue;
      named.column = nullptr;
      out.push_back(std::move(named));
    }
  }
  return out;
}

void Figures::CheckThings(State& state, const v1::ColumnProfile& column) const {
  if (IsUniquePerRow(column, catalog_.profile())) return;
  for (const Filter& filter : state.sketch.filters) {
    const bool equal = filter.test == Test::kEqual || filter.test == Test::kIn;
    if (filter.term.part != DatePart::kNone || (equal && filter.term.column.type != v1::COLUMN_REAL)) continue;
    Problem(state,
            absl::StrCat("several rows share one `", column.name(), "`, so it is open whether one of them or all together ",
                         "must meet the condition on `", filter.term.column.name, "`"));
  }
}

// What is measured: a column, or two columns combined.
States Figures::MeasureTerm(const States& in) {
  const States start = Join(Join(in, Key(in, {K::kAll})), Key(in, {K::kColumnWord}));
  States column = Column(Join(start, Key(Key(start, {K::kValues}), {K::kOf})),
                         [&](const v1::ColumnProfile& c, State& state) { state.terms.push_back(Named(c)); });
  States out = Join(column, Key(column, {K::kValues, K::kColumnWord}));
  const std::pair<K, Arithmetic> kSigns[] = {{K::kPlus, Arithmetic::kAdd},
                                             {K::kMinus, Arithmetic::kSubtract},
                                             {K::kTimes, Arithmetic::kMultiply},
                                             {K::kDivided, Arithmetic::kDivide}};
  for (const auto& [keyword, arithmetic] : kSigns) {
    const Arithmetic sign = arithmetic;
    const States derived = Column(Key(column, {keyword}), [&](const v1::ColumnProfile& c, State& state) {
      NamedTerm& term = state.terms.back();
      term.term.arithmetic = sign;
      term.term.other = catalog_.PlanColumn(c);
      term.other = &c;
      for (const v1::ColumnProfile* part : {term.column, term.other}) {
        if (!IsNumeric(*part)) {
          Problem(state, absl::StrCat("`", part->name(), "` holds ", std::string(TypeName(part->type())),
                                      ", which cannot be calculated with"));
        }
      }
    });
    out = Join(std::move(out), derived);
  }
  return out;
}

// "age and fare", "age, fare".
States Figures::MeasureTerms(const States& in) {
  States out = MeasureTerm(in);
  States last = out;
  for (int i = 0; i < 3 && !last.empty(); ++i) {
    const States comma = Key(last, {K::kComma});
    last = MeasureTerm(Join(Join(comma, Key(comma, {K::kAnd})), Key(last, {K::kAnd})));
    out = Join(std::move(out), last);
  }
  return out;
}

// "mean and standard deviation of", "minimum, maximum and range of", "90th percentile of", "quartiles of".
States Figures::Functions(const States& in) {
  const auto one = [&](const States& states) {
    States out = Step(states, [](const Edge& edge, State& state) {
      if (edge.kind != EdgeKind::kKeyword || edge.phrase->keyword != K::kFunction) return false;
      state.functions.push_back({.function = edge.phrase->function,
                                 .quantile = std::string(edge.phrase->quantile),
                                 .time_word = edge.phrase->of_time ? std::string(edge.phrase->text) : ""});
      return true;
    });
    const States ordinal = Step(states, [](const Edge& edge, State& state) {
      if (edge.kind != EdgeKind::kOrdinal || edge.text == "0" || edge.text.size() > 2) return false;
      const std::string quantile = absl::StrCat("0.", edge.text.size() == 1 ? "0" : "", edge.text);
      state.functions.push_back({.function = Function::kQuantile, .quantile = quantile});
      return true;
    });
    out = Join(std::move(out), Key(ordinal, {K::kPercentile}));
    States quartiles = Key(states, {K::kQuartiles});
    for (State& state : quartiles) {
      for (const char* at : {"0.25", "0.5", "0.75"})
        state.functions.push_back({.function = Function::kQuantile, .quantile = at});
    }
    return Join(std::move(out), quartiles);
  };
  States out = one(in);
  States last = out;
  for (int i = 0; i < 5 && !last.empty(); ++i) {
    const States comma = Key(last, {K::kComma});
    last = one(Join(Join(comma, Key(comma, {K::kAnd})), Key(last, {K::kAnd})));
    out = Join(std::move(out), last);
  }
  return out;
}

States Figures::OneMeasure(const States& in) {
  const States functions = Functions(in);
  States out = MeasureTerms(Join(functions, Key(functions, {K::kOf})));
  for (State& state : out) {
    for (const NamedTerm& term : state.terms) {
      for (const Measure& function : state.functions) {
        Measure measure = function;
        measure.of = term;
        state.sketch.measures.push_back(measure);
      }
    }
    state.terms.clear();
    state.functions.clear();
  }
  return out;
}

// "mean age and median fare", "number of passengers and mean age".
States Figures::MeasureList(const States& in) {
  const auto counted = [&](const States& states) {
    States rows = Rows(Key(states, {K::kHowMany}));
    for (State& state : rows) state.sketch.measures.push_back({.function = Function::kCountRows});
    return rows;
  };
  States out = OneMeasure(in);
  States last = Join(out, counted(in));
  for (int i = 0; i < 3 && !last.empty(); ++i) {
    const States comma = Key(last, {K::kComma});
    const States next = Join(Join(comma, Key(comma, {K::kAnd})), Key(last, {K::kAnd}));
    last = Join(OneMeasure(next), counted(next));
    out = Join(std::move(out), last);
  }
  return out;
}

States Figures::Superlative(const States& in) {
  States high = Key(in, {K::kHighest});
  States low = Key(in, {K::kLowest});
  States most = Key(in, {K::kMost});
  States fewest = Key(in, {K::kFewest});
  for (States* best : {&high, &most}) {
    for (State& state : *best) state.sketch.descending = true;
  }
  for (States* worst : {&low, &fewest}) {
    for (State& state : *worst) state.sketch.descending = false;
  }
  for (State& state : most) state.sketch.additive = true;
  for (State& state : fewest) state.sketch.additive = true;
  return Join(Join(Join(std::move(high), low), most), fewest);
}

// What a ranking goes by: "total sales", "sales", "number of orders", "orders".
States Figures::RankMeasure(const States& in) {
  const auto measured = [](States states, std::optional<Function> function) {
    for (State& state : states) {
      Measure measure;
      if (!state.functions.empty()) measure = state.functions[0];
      if (function) measure.function = function;
      if (!state.terms.empty()) measure.of = state.terms[0];
      state.terms.clear();
      state.functions.clear();
      state.sketch.measures.push_back(measure);
    }
    return states;
  };
  States functions = Functions(in);
  std::erase_if(functions, [](const State& state) { return state.functions.size() != 1 || state.sketch.additive; });
  States out = measured(MeasureTerm(Join(functions, Key(functions, {K::kOf}))), std::nullopt);
  out = Join(std::move(out), measured(MeasureTerm(in), std::nullopt));
  out = Join(std::move(out), measured(Rows(Key(in, {K::kHowMany})), Function::kCountRows));
  States most = Rows(in);
  std::erase_if(most, [](const State& state) { return !state.sketch.additive; });
  return Join(std::move(out), measured(std::move(most), Function::kCountRows));
}

}  // namespace conclave::offline
