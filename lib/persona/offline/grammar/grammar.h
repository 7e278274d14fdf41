// Grammar: all ways in which a question can be read, each consuming every word.
//
// Thread safety: one belongs to one question and one thread.
// Ownership: borrows lattice and catalog.
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_GRAMMAR_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_GRAMMAR_H_

#include <vector>

#include "lib/persona/offline/grammar/figures.h"

namespace conclave::offline {

class Grammar : public Figures {
 public:
  using Figures::Figures;

  // All complete readings, those with a problem included.
  std::vector<Sketch> Parse();

 private:
  // counts.cc
  States Counts();
  States DistinctCounts(const States& how_many);
  States ThingCounts(const States& lead);
  States MissingCounts(const States& how_many);
  States Measures();
  States Percentages();

  // rankings.cc
  States Which();
  States TopList();
  States Common();

  // listings.cc
  States DistinctLists();
  States RowLists();
  States Schema();
  States ColumnsWithMissing();
};

}  // namespace conclave::offline

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_GRAMMAR_H_
