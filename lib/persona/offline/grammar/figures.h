// Figures: what is computed, "mean and median fare", and what a ranking goes by, "highest total sales".
//
// Thread safety: one belongs to one question and one thread.
// Ownership: borrows lattice and catalog.
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_FIGURES_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_FIGURES_H_

#include "lib/persona/offline/grammar/clauses.h"

namespace conclave::offline {

class Figures : public Clauses {
 public:
  using Clauses::Clauses;

 protected:
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
