// Grammar: all ways in which a question can be read, each consuming every word.
//
// Every production takes a set of states and returns the states after it; a state is a position and what was collected so far.
// Nothing is guessed on the way: where words have several meanings every one is followed, and the caller sees them all.
//
// Thread safety: one grammar belongs to one question and one thread.
// Ownership: borrows lattice and catalog.
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_H_

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "lib/persona/offline/catalog.h"
#include "lib/persona/offline/lattice.h"
#include "lib/persona/offline/sketch.h"

namespace conclave::offline {

struct State {
  size_t at = 0;
  Sketch sketch;
  bool into_condition = false;                // conditions go into the percentage
  std::vector<NamedTerm> terms;               // of the measure being read
  std::vector<Measure> functions;             // of the measure being read
  const v1::ColumnProfile* column = nullptr;  // of the condition being read
  Test test = Test::kEqual;
  std::vector<Literal> literals;
  bool negated = false;
  bool operator==(const State&) const = default;
};

using States = std::vector<State>;

// Moves over words. Production rules are built on it in grammar.cc, conditions in conditions.cc.
class Cursor {
 public:
  Cursor(const Lattice& lattice, const Catalog& catalog) : lattice_(lattice), catalog_(catalog) {}

  // The furthest position that any reading reached.
  size_t furthest() const { return furthest_; }

 protected:
  using Accept = std::function<bool(const Edge&, State&)>;

  // Follows every edge that `accept` takes, from every state, over stop words.
  States Step(const States& in, const Accept& accept);
  States Key(const States& in, std::initializer_list<Keyword> keywords);
  States Column(const States& in, const std::function<void(const v1::ColumnProfile&, State&)>& use);
  States Number(const States& in, const std::function<bool(const std::string&, State&)>& use);
  // True when nothing but stop words is left.
  bool AtEnd(const State& state) const;
  static States Join(States a, const States& b);
  static void Problem(State& state, std::string problem, std::vector<std::string> suggestions = {});

  const Lattice& lattice_;
  const Catalog& catalog_;

 private:
  size_t furthest_ = 0;
};

// Conditions on rows: "who survived", "in class 1", "with at least 100 reviews", "after 2012".
class Conditions : public Cursor {
 public:
  using Cursor::Cursor;

 protected:
  // One condition with the words that tie it to what stands before.
  States Condition(const States& in);
  // One condition, without such words.
  States Predicate(const States& in);
  // Known values that stand before or for the noun: "male", "first class".
  States ValueCondition(const States& in);
  States YesCondition(const States& in);
  // "names starting with A"; leaves the column in `State::column`.
  States PatternCondition(const States& in);
  // What is counted or measured over: "passengers", "male passengers", "women", "survivors".
  States Subject(const States& in);
  States Rows(const States& in);

 private:
  States ColumnCondition(const States& in);
  States Pattern(const States& column);
  States MissingCondition(const States& in);
  States BoundCondition(const States& in);
  States DateCondition(const States& in);
  // `joint` stands between the two ends of a span of years; without it one year is read.
  States YearCondition(const States& in, Test test, std::optional<Keyword> joint);
  States MonthCondition(const States& in);
  States Value(const States& in, bool bare);
  States Finish(const States& in);
  static void Add(State& state, Filter filter);
  void AddYear(States* out, const State& state, Test test, const std::vector<std::string>& years);
};

class Grammar : public Conditions {
 public:
  using Conditions::Conditions;

  // All complete readings, those with a problem included.
  std::vector<Sketch> Parse();

 private:
  States Lead();
  States KeyTerm(const States& in);
  States RowLabel(const States& in);
  States MeasureTerm(const States& in);
  States MeasureTerms(const States& in);
  States Functions(const States& in);
  States MeasureList(const States& in);
  States OneMeasure(const States& in);
  States RankMeasure(const States& in);
  States Superlative(const States& in);
  States Tail(const States& in);
  States GroupClause(const States& in);
  States SortClause(const States& in);
  States FormatClause(const States& in);
  States TableClause(const States& in);

  States Counts();
  States DistinctCounts(const States& how_many);
  States MissingCounts(const States& how_many);
  States Measures();
  States Percentages();
  States Which();
  States TopList();
  States Common();
  States DistinctLists();
  States RowLists();
  States Schema();
  States ColumnsWithMissing();
};

}  // namespace conclave::offline

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_H_
