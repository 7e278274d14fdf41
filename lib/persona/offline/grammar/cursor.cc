#include "lib/persona/offline/grammar/cursor.h"

#include <algorithm>
#include <utility>

#include "lib/persona/offline/numerals.h"

namespace conclave::offline {
namespace {

// More readings than this are no longer a question but noise; further ones are not followed.
constexpr size_t kMostStates = 4000;

}  // namespace

States Cursor::Step(const States& in, const Accept& accept) {
  States out;
  for (const State& state : in) {
    for (size_t at = state.at; at < lattice_.size(); ++at) {
      for (const Edge& edge : lattice_.at(at)) {
        State next = state;
        next.at = at + edge.length;
        if (!accept(edge, next)) continue;
        if (!edge.assumption.empty()) next.sketch.assumptions.push_back(edge.assumption);
        if (edge.column != nullptr) {
          next.sketch.picks.emplace_back(lattice_.Text(at, next.at), edge.kind == EdgeKind::kValue
                                                                         ? edge.column->name() + " = " + edge.text
                                                                         : edge.column->name());
        }
        furthest_ = std::max(furthest_, next.at);
        if (out.size() < kMostStates && std::find(out.begin(), out.end(), next) == out.end()) out.push_back(std::move(next));
      }
      if (!lattice_.IsStop(at)) break;
    }
  }
  return out;
}

States Cursor::Key(const States& in, std::initializer_list<Keyword> keywords) {
  return Step(in, [&](const Edge& edge, State&) {
    return edge.kind == EdgeKind::kKeyword &&
           std::find(keywords.begin(), keywords.end(), edge.phrase->keyword) != keywords.end();
  });
}

States Cursor::Column(const States& in, const std::function<void(const v1::ColumnProfile&, State&)>& use) {
  return Step(in, [&](const Edge& edge, State& state) {
    if (edge.kind != EdgeKind::kColumn) return false;
    use(*edge.column, state);
    return true;
  });
}

States Cursor::Number(const States& in, const std::function<bool(const std::string&, State&)>& use) {
  return Step(in, [&](const Edge& edge, State& state) { return edge.kind == EdgeKind::kNumber && use(edge.text, state); });
}

bool Cursor::AtEnd(const State& state) const {
  for (size_t at = state.at; at < lattice_.size(); ++at) {
    if (!lattice_.IsStop(at)) return false;
  }
  return true;
}

States Cursor::Join(States a, const States& b) {
  for (const State& state : b) {
    if (a.size() >= kMostStates) break;
    if (std::find(a.begin(), a.end(), state) == a.end()) a.push_back(state);
  }
  return a;
}

void Cursor::TakeDates(State& state, const v1::ColumnProfile& dates) const {
  if (std::string why = catalog_.WhyOtherDates(dates); !why.empty()) Problem(state, std::move(why));
}

std::string Cursor::CountOf(const std::string& text, State& state) const {
  NumeralFit fit = FitNumeral(text, nullptr, catalog_.profile());
  if (!fit.problem.empty()) Problem(state, std::move(fit.problem), std::move(fit.suggestions));
  return fit.number;
}

NamedTerm Cursor::Named(const v1::ColumnProfile& column) const {
  return {.term = {.column = catalog_.PlanColumn(column)}, .column = &column};
}

void Cursor::Problem(State& state, std::string problem, std::vector<std::string> suggestions) {
  if (!state.sketch.problem.empty()) return;
  state.sketch.problem = std::move(problem);
  state.sketch.suggestions = std::move(suggestions);
}

}  // namespace conclave::offline
