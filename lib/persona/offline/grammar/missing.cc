// Conditions on what is not there: "missing age", "without grade A".
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/persona/offline/grammar/conditions.h"

namespace conclave::offline {

// "missing age", "without age", "with no age"; "without grade A".
States Conditions::MissingCondition(const States& in) {
  const auto use = [](const v1::ColumnProfile& column, State& state) { state.column = &column; };
  const States without = Column(Key(in, {Keyword::kWithout}), use);
  States out = Join(Column(Key(in, {Keyword::kMissing}), use), without);
  out = Join(out, Key(out, {Keyword::kValues}));
  for (State& state : out) state.test = Test::kIsNull;
  RefuseLooseValues(&out);
  return Finish(Join(std::move(out), Lacking(without)));
}

States Conditions::Lacking(const States& column) {
  States out = Value(column, true);
  for (State& state : out) {
    state.test = Test::kNotEqual;
    if (state.column->nulls() == 0) continue;
    const std::string& name = state.column->name();
    Problem(state,
            absl::StrCat("\"without ", name, " ", state.literals[0].text, "\" leaves open whether rows in which `", name,
                         "` is missing are meant; say \"", name, " is not ", state.literals[0].text, "\" to leave them out"),
            {absl::StrCat(name, " is not ", state.literals[0].text)});
  }
  return out;
}

void Conditions::RefuseLooseValues(States* missing) {
  for (State& state : *missing) {
    const States values = Step({state}, [](const Edge& edge, State&) { return edge.kind == EdgeKind::kValue; });
    States others = Number({state}, [](const std::string&, State&) { return true; });
    std::erase_if(others, [&](const State& other) { return !Key({other}, {Keyword::kDecimals}).empty(); });
    others = Join(std::move(others), Step({state}, [&](const Edge& edge, State& at) {
                    return edge.kind == EdgeKind::kDate || lattice_.words()[at.at - 1].kind == WordKind::kQuoted;
                  }));
    for (const State& read : Join(values, others)) {
      Problem(state,
              absl::StrCat("`", state.column->name(), "` is said to be missing, and \"", lattice_.Text(state.at, read.at),
                           "\" right after it leaves open what that value belongs to"));
    }
  }
}

}  // namespace conclave::offline
