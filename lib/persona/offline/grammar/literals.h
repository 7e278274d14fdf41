// Literals: whether the values that a condition names can occur, and which spellings of them are meant.
//
// Thread safety: pure functions.
// Ownership: borrows its arguments for the length of a call.
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_LITERALS_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_LITERALS_H_

#include <string>
#include <vector>

#include "lib/persona/offline/columns.h"
#include "lib/plan/plan.h"

namespace conclave::offline {

// Why `literal` cannot occur in a column of numbers, from what the profile says; empty when it may.
std::string WhyAbsent(const v1::ColumnProfile& column, const Literal& literal);

// Case and blanks at the ends make no difference, except where a value in quotes is one of several spellings that are known to
// occur: then that spelling alone is meant. Either way the spellings are named. Where all values are known and have one
// spelling each, there is nothing to leave out of account.
void DecideSpelling(const v1::ColumnProfile& column, bool quoted, Filter* filter, std::vector<std::string>* assumptions);

}  // namespace conclave::offline

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_GRAMMAR_LITERALS_H_
