#include "lib/persona/offline/grammar/conditions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/persona/offline/grammar/literals.h"
#include "lib/persona/offline/numerals.h"

namespace conclave::offline {
namespace {

std::vector<std::string> Occurring(const v1::ColumnProfile& column) {
  std::vector<std::string> result;
  for (const v1::TopValue& top : column.top()) result.push_back(ValueText(top.value()));
  return result;
}

// Timestamps are compared by their day, because dates are what questions give.
DatePart ComparedPart(v1::ColumnType type) {
  return HoldsDates(type) && type != v1::COLUMN_DATE ? DatePart::kDay : DatePart::kNone;
}

// A number with the mark of a unit; two of them must have the same.
bool AddMeasured(const Edge& edge, State* state) {
  if (!state->unit.empty() && state->unit != edge.unit) return false;
  state->unit = edge.unit;
  state->literals.push_back({LiteralKind::kNumber, edge.text});
  return true;
}

}  // namespace

// The numbers of a condition, in the way of writing of its column.
void Conditions::ReadNumerals(State& state, const v1::ColumnProfile& column) const {
  for (Literal& literal : state.literals) {
    if (literal.kind != LiteralKind::kNumber) continue;
    NumeralFit fit = FitNumeral(literal.text, &column, catalog_.profile());
    literal.text = std::move(fit.number);
    if (!fit.assumption.empty()) state.sketch.assumptions.push_back(std::move(fit.assumption));
    if (!fit.problem.empty()) Problem(state, std::move(fit.problem), std::move(fit.suggestions));
  }
}

// "10%" of a column in percent is 10, as the column has it. Of another column it could be 10 or 0.1.
void Conditions::CheckUnit(State& state, const v1::ColumnProfile& column) {
  if (state.unit.empty()) return;
  if (column.unit() == state.unit) {
    state.sketch.assumptions.push_back(
        absl::StrCat("`", column.name(), "` is in ", state.unit, ", so numbers are compared as they stand"));
    return;
  }
  Problem(state, absl::StrCat("the question gives a number in ", state.unit, ", but `", column.name(), "` holds numbers ",
                              column.unit().empty() ? "without a unit" : absl::StrCat("in ", column.unit()),
                              "; write the number alone, as the column has it"));
}

void Conditions::Add(State& state, Filter filter) {
  std::vector<Filter>& to = state.into_condition ? state.sketch.condition : state.sketch.filters;
  for (const std::vector<Filter>* existing : {&state.sketch.condition, &state.sketch.filters}) {
    for (const Filter& other : *existing) {
      if (!(other.term == filter.term)) continue;
      if (other == filter) {
        Problem(state, absl::StrCat("the question states one condition on `", filter.term.column.name, "` twice"));
      } else if (other.test == Test::kEqual && filter.test == Test::kEqual) {
        Problem(state, absl::StrCat("the question asks for two different values of `", filter.term.column.name,
                                    "` at once; to have rows with either of them, say \"or\""));
      }
    }
  }
  to.push_back(std::move(filter));
}

// The condition on `state.column` that was read.
States Conditions::Finish(const States& in) {
  States out;
  for (State state : in) {
    const v1::ColumnProfile& column = *state.column;
    ReadNumerals(state, column);
    Test test = state.test;
    if (state.negated) {
      if (test == Test::kEqual) {
        test = Test::kNotEqual;
      } else if (test == Test::kIsNull) {
        test = Test::kIsNotNull;
      } else {
        continue;
      }
    }
    const bool ordered = test != Test::kEqual && test != Test::kNotEqual && test != Test::kIsNull && test != Test::kIsNotNull &&
                         test != Test::kIn && test != Test::kStartsWith && test != Test::kContains;
    if (ordered && !IsNumeric(column) && !HoldsDates(column.type())) {
      const std::string why = WhyText(column);
      Problem(state, absl::StrCat("`", column.name(), "` holds ", std::string(TypeName(column.type())),
                                  why.empty() ? "" : absl::StrCat(" (", why, ")"), ", which has no more and less"));
    }
    const bool pattern = test == Test::kStartsWith || test == Test::kContains;
    if (pattern && column.type() != v1::COLUMN_TEXT) {
      Problem(state, absl::StrCat("`", column.name(), "` holds ", std::string(TypeName(column.type())), ", not text"));
    }
    if (test == Test::kEqual || test == Test::kNotEqual || test == Test::kIn) {
      for (const Literal& literal : state.literals) {
        const std::string why = WhyAbsent(column, literal);
        if (!why.empty()) Problem(state, why, Occurring(column));
      }
    }
    CheckUnit(state, column);
    const Term term{.column = catalog_.PlanColumn(column), .part = ComparedPart(column.type())};
    Filter filter{term, test, state.literals};
    DecideSpelling(column, state.quoted, &filter, &state.sketch.assumptions);
    Add(state, std::move(filter));
    state.quoted = false;
    state.unit.clear();
    state.column = nullptr;
    state.test = Test::kEqual;
    state.literals.clear();
    state.negated = false;
    out.push_back(std::move(state));
  }
  return out;
}

// A literal for `state.column`: one of its known values, a number, a date, text in quotes. Without "is" (`bare`), only what
// cannot be anything else.
States Conditions::Value(const States& in, bool bare) {
  States out = Step(in, [&](const Edge& edge, State& state) {
    if (edge.kind != EdgeKind::kValue || edge.column != state.column) return false;
    state.quoted = state.quoted || IsQuotedAs(edge.text, state.at - edge.length);
    state.literals.push_back({LiteralKind::kText, edge.text});
    return true;
  });
  const States typed = Step(in, [&](const Edge& edge, State& state) {
    if (edge.kind != EdgeKind::kLiteral) return false;
    const size_t at = state.at - 1;
    const Word& word = lattice_.words()[at];
    const bool plain = word.kind == WordKind::kWord;
    if (plain && !lattice_.IsFree(at)) return false;
    for (const Edge& other : lattice_.at(at)) {
      if (other.kind == EdgeKind::kValue && other.column == state.column) return false;
      if (bare && plain && other.kind != EdgeKind::kLiteral && other.kind != EdgeKind::kNumber) return false;
    }
    const bool digits = std::any_of(word.raw.begin(), word.raw.end(), absl::ascii_isdigit);
    if (plain && state.column->identifier() && !digits) return false;
    const LiteralFit fit = catalog_.AsLiteral(*state.column, word);
    state.quoted = state.quoted || (fit.literal && IsQuotedAs(fit.literal->text, at));
    if (fit.literal) state.literals.push_back(*fit.literal);
    if (!fit.literal) state.literals.push_back({LiteralKind::kText, word.raw});
    if (!fit.assumption.empty()) state.sketch.assumptions.push_back(fit.assumption);
    if (!fit.problem.empty()) Problem(state, fit.problem, fit.suggestions);
    return true;
  });
  const States measured = Step(in, [&](const Edge& edge, State& state) {
    return edge.kind == EdgeKind::kMeasured && IsNumeric(*state.column) && AddMeasured(edge, &state);
  });
  return Join(Join(std::move(out), typed), measured);
}

// "starting with A", "containing pro" after a column.
States Conditions::Pattern(const States& column) {
  States out;
  for (const auto& [keyword, test] :
       {std::pair{Keyword::kStarts, Test::kStartsWith}, std::pair{Keyword::kContains, Test::kContains}}) {
    const Test as = test;
    const States read = Step(Key(column, {keyword}), [&](const Edge& edge, State& state) {
      const Word& word = lattice_.words()[state.at - 1];
      if (edge.kind != EdgeKind::kLiteral || (word.kind == WordKind::kWord && !lattice_.IsFree(state.at - 1))) return false;
      state.test = as;
      state.literals = {{LiteralKind::kText, word.raw}};
      return true;
    });
    out = Join(std::move(out), read);
  }
  return out;
}

States Conditions::PatternCondition(const States& in) {
  States out;
  for (const State& state : Pattern(Column(in, [](const v1::ColumnProfile&c, State&s) { s.column = &c; }))) {
    for (State& finished : Finish({state})) {
      finished.column = state.column;
      out.push_back(std::move(finished));
    }
  }
  return out;
}

States Conditions::ColumnCondition(const States& in) {
  const States column = Column(in, [](const v1::ColumnProfile& c, State& state) { state.column = &c; });
  const auto negate = [&](const States& states) {
    States result = Key(states, {Keyword::kNot});
    for (State& state : result) state.negated = true;
    return result;
  };
  const States be = Key(column, {Keyword::kBe});
  const States be_not = negate(be);
  const States equals = Step(Join(column, be), [](const Edge& edge, State&) {
    return edge.kind == EdgeKind::kKeyword && edge.phrase->keyword == Keyword::kTest && edge.phrase->test == Test::kEqual;
  });
  States out = Value(Join(Join(be, be_not), equals), false);
  out = Join(std::move(out), Value(Join(column, Key(column, {Keyword::kOf})), true));
  // "region is North or South"
  const States either = Value(Key(out, {Keyword::kOr}), false);
  for (State state : either) {
    if (state.negated) continue;
    state.test = Test::kIn;
    out.push_back(std::move(state));
  }
  const States compared = Step(Join(Join(column, be), Key(column, {Keyword::kOf})), [](const Edge& edge, State& state) {
    if (edge.kind != EdgeKind::kKeyword || edge.phrase->keyword != Keyword::kTest || edge.phrase->test == Test::kEqual)
      return false;
    state.test = edge.phrase->test;
    return true;
  });
  out = Join(std::move(out), Value(compared, false));
  States timed;
  for (const auto& [keyword, test] :
       {std::pair{Keyword::kAfter, Test::kGreater}, std::pair{Keyword::kBefore, Test::kLess},
        std::pair{Keyword::kSince, Test::kGreaterOrEqual}, std::pair{Keyword::kUntil, Test::kLessOrEqual}}) {
    for (State state : Key(Join(column, be), {keyword})) {
      if (!HoldsDates(state.column->type())) continue;
      state.test = test;
      timed.push_back(std::move(state));
    }
  }
  out = Join(std::move(out), Value(timed, false));
  States between = Key(Join(column, be), {Keyword::kBetween});
  for (State& state : between) state.test = Test::kBetween;
  out = Join(std::move(out), Value(Key(Value(between, false), {Keyword::kAnd}), false));
  out = Join(std::move(out), Pattern(column));
  States missing = Key(Join(be, be_not), {Keyword::kMissing});
  for (State& state : missing) state.test = Test::kIsNull;
  RefuseLooseValues(&missing);
  return Finish(Join(std::move(out), missing));
}

// "male", "in North or South", "first class", "not North".
States Conditions::ValueCondition(const States& in) {
  const auto value = [&](const States& states, bool further) {
    return Step(states, [&](const Edge& edge, State& state) {
      if (edge.kind != EdgeKind::kValue || (further && state.column != edge.column)) return false;
      if (edge.shadowed_by != nullptr) {
        Problem(state,
                absl::StrCat("\"", edge.text, "\" is the column `", edge.shadowed_by->name(), "` and also a value of `",
                             edge.column->name(), "`; where the value is meant, name its column: \"", edge.column->name(),
                             " is ", edge.text, "\""),
                {absl::StrCat(edge.column->name(), " is ", edge.text)});
      }
      state.column = edge.column;
      state.quoted = state.quoted || IsQuotedAs(edge.text, state.at - edge.length);
      state.literals.push_back({LiteralKind::kText, edge.text});
      return true;
    });
  };
  States negated = Key(in, {Keyword::kNot});
  for (State& state : negated) state.negated = true;
  States out = value(Join(in, negated), false);
  States more = out;
  for (int i = 0; i < 4 && !more.empty(); ++i) {
    more = value(Join(Key(more, {Keyword::kOr}), Key(more, {Keyword::kComma})), true);
    for (State& state : more) state.test = Test::kIn;
    std::erase_if(more, [](const State& state) { return state.negated; });
    out = Join(std::move(out), more);
  }
  const States with_column =
      Step(out, [](const Edge& edge, State& state) { return edge.kind == EdgeKind::kColumn && edge.column == state.column; });
  return Finish(Join(std::move(out), with_column));
}

// "survived", "not survived": a column that says yes or no, used as a verb or noun.
States Conditions::YesCondition(const States& in) {
  States negated = Key(in, {Keyword::kNot});
  for (State& state : negated) state.negated = true;
  States out;
  for (State state : Column(Join(in, negated), [](const v1::ColumnProfile&c, State&s) { s.column = &c; })) {
    const std::optional<YesNo> words = AsYesNo(*state.column);
    if (!words) continue;
    const Literal& literal = state.negated ? words->no : words->yes;
    const std::string word = state.column->type() == v1::COLUMN_BOOLEAN ? (state.negated ? "false" : "true") : literal.text;
    state.sketch.assumptions.push_back(absl::StrCat("\"", state.negated ? "not " : "", state.column->name(), "\" means `",
                                                    state.column->name(), "` is ", word));
    state.negated = false;
    state.literals = {literal};
    out.push_back(std::move(state));
  }
  return Finish(out);
}

// "more than 100 reviews", "above 1000" where one column only can be meant.
States Conditions::BoundCondition(const States& in) {
  const States bound = Step(in, [](const Edge& edge, State& state) {
    if (edge.kind != EdgeKind::kKeyword || edge.phrase->keyword != Keyword::kTest) return false;
    state.test = edge.phrase->test;
    return true;
  });
  const auto number = [&](const States& states) {
    const States measured = Step(
        states, [](const Edge& edge, State& state) { return edge.kind == EdgeKind::kMeasured && AddMeasured(edge, &state); });
    return Join(Number(states,
                       [](const std::string& text, State& state) {
                         state.literals.push_back({LiteralKind::kNumber, text});
                         return true;
                       }),
                measured);
  };
  States between = Key(in, {Keyword::kBetween});
  for (State& state : between) state.test = Test::kBetween;
  const States bounded = Join(number(bound), number(Key(number(between), {Keyword::kAnd})));
  const States named = Step(bounded, [](const Edge& edge, State& state) {
    if (edge.kind != EdgeKind::kColumn || !IsNumeric(*edge.column)) return false;
    state.column = edge.column;
    return true;
  });
  States out = Finish(named);
  // "with 4 cylinders"
  States counted = Step(number(in), [](const Edge& edge, State& state) {
    if (edge.kind != EdgeKind::kColumn || edge.column->type() != v1::COLUMN_INTEGER) return false;
    state.column = edge.column;
    return true;
  });
  for (State& state : counted) {
    state.sketch.assumptions.push_back(absl::StrCat("`", state.column->name(), "` is exactly ", state.literals[0].text));
  }
  out = Join(std::move(out), Finish(counted));
  const std::vector<const v1::ColumnProfile*> numeric = catalog_.NumericColumns();
  for (State state : bounded) {
    if (numeric.empty()) continue;
    if (numeric.size() > 1) {
      std::vector<std::string> names;
      for (const v1::ColumnProfile* column : numeric) names.push_back(column->name());
      Problem(state, absl::StrCat("the bound ", state.literals[0].text, " names no column, and there are several with numbers"),
              names);
    }
    state.column = numeric[0];
    state.sketch.assumptions.push_back(
        absl::StrCat("the bound is on `", numeric[0]->name(), "`, the only column with numbers"));
    out = Join(std::move(out), Finish({state}));
  }
  return out;
}

States Conditions::Predicate(const States& in) {
  States out = ColumnCondition(in);
  out = Join(std::move(out), MissingCondition(in));
  out = Join(std::move(out), ValueCondition(in));
  out = Join(std::move(out), YesCondition(in));
  return Join(std::move(out), BoundCondition(in));
}

States Conditions::Condition(const States& in) {
  States tied = in;
  States out = DateCondition(in);
  for (int i = 0; i < 4 && !tied.empty(); ++i) {
    out = Join(std::move(out), Predicate(tied));
    tied = Key(tied, {Keyword::kWith, Keyword::kIn, Keyword::kBe, Keyword::kHave, Keyword::kDo});
    out = Join(std::move(out), DateCondition(tied));
  }
  return out;
}

States Conditions::Rows(const States& in) {
  return Step(in, [](const Edge& edge, State&) { return edge.kind == EdgeKind::kRows; });
}

States Conditions::Subject(const States& in) {
  const States start = Join(in, Key(in, {Keyword::kAll}));
  States out = Rows(start);
  States described = start;
  for (int i = 0; i < 3 && !described.empty(); ++i) {
    described = ValueCondition(described);
    out = Join(std::move(out), described);
    out = Join(std::move(out), Rows(described));
  }
  return Join(std::move(out), YesCondition(start));
}

}  // namespace conclave::offline
