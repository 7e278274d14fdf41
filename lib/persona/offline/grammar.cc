#include "lib/persona/offline/grammar.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace conclave::offline {
namespace {

using K = Keyword;

// A column as a key or measure.
NamedTerm Named(const v1::ColumnProfile& column) { return {.term = {.column = PlanColumn(column)}, .column = &column}; }

// "By month" names every month of every year apart, unless there is one year only.
DatePart PartFor(DatePart part, const v1::ColumnProfile& column) {
  const std::optional<std::pair<int, int>> years = YearsOf(column);
  const bool one_year = years && years->first == years->second;
  if (one_year && part == DatePart::kYearMonth) return DatePart::kMonthOfYear;
  if (one_year && part == DatePart::kYearQuarter) return DatePart::kQuarterOfYear;
  if (part == DatePart::kDay && column.type() == v1::COLUMN_DATE) return DatePart::kNone;
  return part;
}

bool TakesLabel(const v1::ColumnProfile& column) { return column.type() != v1::COLUMN_REAL; }

}  // namespace

// "what is", "show", "list", or nothing.
States Grammar::Lead() {
  const States start = {State()};
  const States asked = Key(Key(start, {K::kWhat}), {K::kBe});
  const States shown = Key(start, {K::kShow});
  States listed = Key(start, {K::kList});
  for (State& state : listed) state.sketch.list = true;
  return Join(Join(Join(start, asked), shown), listed);
}

// What groups are made of: a column, or a part of a date.
States Grammar::KeyTerm(const States& in) {
  States out = Column(in, [](const v1::ColumnProfile& column, State& state) { state.sketch.keys.push_back(Named(column)); });
  for (const State& state : in) {
    DatePart part = DatePart::kNone;
    for (const State& named : Step({state}, [&](const Edge&edge, State&) {
           if (edge.kind != EdgeKind::kKeyword || edge.phrase->keyword != K::kDatePart) return false;
           part = edge.phrase->part;
           return true;
         })) {
      for (const v1::ColumnProfile* column : catalog_.DateColumns()) {
        State next = named;
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
States Grammar::RowLabel(const States& in) {
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

// What is measured: a column, or two columns combined.
States Grammar::MeasureTerm(const States& in) {
  const States start = Join(Join(in, Key(in, {K::kAll})), Key(in, {K::kColumnWord}));
  States column = Column(Join(start, Key(Key(start, {K::kValues}), {K::kOf})),
                         [](const v1::ColumnProfile& c, State& state) { state.terms.push_back(Named(c)); });
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
      term.term.other = PlanColumn(c);
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
States Grammar::MeasureTerms(const States& in) {
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
States Grammar::Functions(const States& in) {
  const auto one = [&](const States& states) {
    States out = Step(states, [](const Edge& edge, State& state) {
      if (edge.kind != EdgeKind::kKeyword || edge.phrase->keyword != K::kFunction) return false;
      state.functions.push_back({.function = edge.phrase->function, .quantile = std::string(edge.phrase->quantile)});
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

States Grammar::OneMeasure(const States& in) {
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
States Grammar::MeasureList(const States& in) {
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

States Grammar::GroupClause(const States& in) {
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
States Grammar::SortClause(const States& in) {
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
  States named = Column(sorted, [](const v1::ColumnProfile& column, State& state) {
    state.sketch.sort = {.by = Named(column), .descending = false};
  });
  States out = Join(directed(open), directed(sorted));
  out = Join(std::move(out), named);
  const States comma = Key(named, {K::kComma});
  return Join(std::move(out), directed(Join(named, comma)));
}

// "to 2 decimals", "as a percentage".
States Grammar::FormatClause(const States& in) {
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
States Grammar::TableClause(const States& in) {
  const States within = Key(Key(in, {K::kIn, K::kOf}), {K::kTableWord});
  return Join(within, Key(Key(Key(in, {K::kDo}), {K::kTableWord}), {K::kHave}));
}

// Whatever may follow: conditions, groups, order, form, in any sequence.
States Grammar::Tail(const States& in) {
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

States Grammar::DistinctCounts(const States& how_many) {
  const auto count = [](const v1::ColumnProfile& column, State& state) {
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
  const auto count = [](const v1::ColumnProfile& column, State& state) {
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
  for (State& state : counted) state.sketch.measures.push_back({.function = Function::kCountRows});
  States missing = MissingCounts(Join(how_many, lead));
  States distinct = DistinctCounts(how_many);
  distinct = Join(distinct, Key(distinct, {K::kBe, K::kExist}));
  return Tail(Join(Join(std::move(counted), distinct), missing));
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
  States grouped = Tail(bare);
  // A column by itself is no question; with groups or conditions on other columns it is a total.
  std::erase_if(grouped, [](const State& state) {
    const std::vector<Filter>& filters = state.sketch.filters;
    const conclave::Column& measured = state.sketch.measures[0].of.term.column;
    return (state.sketch.keys.empty() && filters.empty()) ||
           std::any_of(filters.begin(), filters.end(), [&](const Filter& filter) { return filter.term.column == measured; });
  });
  return Join(Tail(Join(list, of)), grouped);
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

States Grammar::Superlative(const States& in) {
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
States Grammar::RankMeasure(const States& in) {
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
  States having = Rows(Number(bounded, [](const std::string& text, State& state) {
    state.sketch.having->literals = {{LiteralKind::kNumber, text}};
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
    return KeyTerm(Number(states, [](const std::string& text, State& state) {
      return absl::SimpleAtoi(text, &state.sketch.count) && state.sketch.count > 0 && state.sketch.count <= 100000;
    }));
  };
  const States ends = counted(Join(std::move(top), bottom));
  States out = RankMeasure(Key(ends, {K::kBy, K::kIn}));
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
  const auto key = [](const v1::ColumnProfile& column, State& state) { state.sketch.keys.push_back(Named(column)); };
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

// "distinct regions", "which regions are there".
States Grammar::DistinctLists() {
  const auto key = [](const v1::ColumnProfile& column, State& state) {
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
  out = Join(std::move(out), Key(out, {K::kBe, K::kExist}));
  const States which = Column(what, key);
  out = Join(std::move(out), Key(which, {K::kBe, K::kExist}));
  // "products containing pro"
  for (State& state : PatternCondition(Lead())) {
    key(*state.column, state);
    state.sketch.assumptions.push_back(absl::StrCat("every value of `", state.column->name(), "` is listed once"));
    state.column = nullptr;
    out.push_back(std::move(state));
  }
  for (State& state : out) state.sketch.form = Form::kDistinct;
  return Tail(out);
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

std::vector<Sketch> Grammar::Parse() {
  std::vector<Sketch> result;
  const auto collect = [&](const States& states) {
    for (const State& state : states) {
      if (!AtEnd(state)) continue;
      if (std::find(result.begin(), result.end(), state.sketch) == result.end()) result.push_back(state.sketch);
    }
  };
  collect(Counts());
  collect(Measures());
  collect(Percentages());
  collect(Which());
  collect(TopList());
  collect(Common());
  collect(DistinctLists());
  collect(RowLists());
  collect(Schema());
  collect(ColumnsWithMissing());
  return result;
}

}  // namespace conclave::offline
