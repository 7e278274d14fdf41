// Clauses: how questions begin, what they group by, and what may follow: conditions, groups, order, form.
//
// Thread safety: one belongs to one question and one thread.
// Ownership: borrows lattice and catalog.
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_CLAUSES_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_CLAUSES_H_

#include "lib/persona/offline/grammar/conditions.h"

namespace conclave::offline {

class Clauses : public Conditions {
 public:
  using Conditions::Conditions;

 protected:
  States Lead();
  States KeyTerm(const States& in);
  States RowLabel(const States& in);
  States GroupClause(const States& in);
  States SortClause(const States& in);
  States FormatClause(const States& in);
  States TableClause(const States& in);
  States Tail(const States& in);
};

}  // namespace conclave::offline

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_CLAUSES_H_
