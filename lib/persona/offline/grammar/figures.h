// Figures: what is computed, "mean and median fare", and what a ranking goes by, "highest total sales".
//
// Thread safety: one belongs to one question and one thread.
// Ownership: borrows lattice and catalog.
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_FIGURES_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_FIGURES_H_

#include <functional>

#include "lib/persona/offline/grammar/clauses.h"

namespace conclave::offline {

class Figures : public Clauses {
 public:
  using Clauses::Clauses;

 protected:
  // Columns that name things, other than the rows themselves: "states" where every row is a city.
  States Things(const States& in, const std::function<void(const v1::ColumnProfile&, State&)>& use);
  // Where several rows are about one thing in `column`, a condition on a figure leaves open whether one row or all rows
  // together must meet it; such a question is not answered.
  void CheckThings(State& state, const v1::ColumnProfile& column) const;
  States MeasureTerm(const States& in);
  States MeasureTerms(const States& in);
  States MeasureList(const States& in);
  States RankMeasure(const States& in);
  States Superlative(const States& in);

 private:
  States Functions(const States& in);
  States OneMeasure(const States& in);
};

}  // namespace conclave::offline

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_FIGURES_H_
