// Conditions: which rows a question is about: "who survived", "in class 1", "with at least 100 reviews", "after 2012".
//
// Thread safety: one belongs to one question and one thread.
// Ownership: borrows lattice and catalog.
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_CONDITIONS_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_CONDITIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "lib/persona/offline/grammar/cursor.h"

namespace conclave::offline {

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
  // "without grade A", after its column: rows that have another value.
  States Lacking(const States& column);
  // A value right after "missing" or "without" and a column leaves open what it belongs to.
  void RefuseLooseValues(States* missing);
  States BoundCondition(const States& in);
  States DateCondition(const States& in);
  // `joint` stands between the two ends of a span of years; without it one year is read.
  States YearCondition(const States& in, Test test, std::optional<Keyword> joint);
  States MonthCondition(const States& in);
  States Value(const States& in, bool bare);
  // True when the word stands in quotes and is the value letter by letter.
  bool IsQuotedAs(const std::string& value, size_t at) const {
    return lattice_.words()[at].kind == WordKind::kQuoted && lattice_.words()[at].raw == value;
  }
  States Finish(const States& in);
  static void Add(State& state, Filter filter);
  void ReadNumerals(State& state, const v1::ColumnProfile& column) const;
  static void CheckUnit(State& state, const v1::ColumnProfile& column);
  void AddYear(States* out, const State& state, Test test, const std::vector<std::string>& years);
};

}  // namespace conclave::offline

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_CONDITIONS_H_
