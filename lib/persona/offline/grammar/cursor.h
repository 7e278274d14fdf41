// Cursor: moves over the words of a question, following every meaning they can have.
//
// Every production takes a set of states and returns the states after it; a state is a position and what was collected so far.
// Nothing is guessed on the way: where words have several meanings every one is followed, and the caller sees them all.
//
// Thread safety: one belongs to one question and one thread.
// Ownership: borrows lattice and catalog.
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_CURSOR_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_CURSOR_H_

#include <cstddef>
#include <functional>
#include <initializer_list>
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
  std::string unit;     // a literal carries it: "percent", "$"
  bool quoted = false;  // a literal stands in quotes, letter by letter
  bool operator==(const State&) const = default;
};

using States = std::vector<State>;

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
  // A column of dates that the question did not name: a problem where another one may be meant.
  void TakeDates(State& state, const v1::ColumnProfile& dates) const;
  // The lexeme of a number of rows.
  std::string CountOf(const std::string& text, State& state) const;
  // A column as a key or measure.
  NamedTerm Named(const v1::ColumnProfile& column) const;
  static void Problem(State& state, std::string problem, std::vector<std::string> suggestions = {});

  const Lattice& lattice_;
  const Catalog& catalog_;

 private:
  size_t furthest_ = 0;
};

}  // namespace conclave::offline

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_CURSOR_H_
