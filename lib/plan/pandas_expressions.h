// Pandas expressions: the values and conditions of one row of a plan in Python. Only the pandas writer uses them.
//
// Thread safety: pure functions.
// Ownership: value types.
#ifndef CONCLAVE_LIB_PLAN_PANDAS_EXPRESSIONS_H_
#define CONCLAVE_LIB_PLAN_PANDAS_EXPRESSIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/plan/plan.h"

namespace conclave::pandas {

// A Python string literal.
std::string Py(std::string_view text);

// A Python list of string literals.
std::string PyList(const std::vector<std::string>& names);

// Series of a term's values over `frame`, null where a column in it is null.
std::string Series(const std::string& frame, const Term& term);

// Boolean mask without nulls over `frame`.
std::string Mask(const std::string& frame, const Filter& filter);

}  // namespace conclave::pandas

#endif  // CONCLAVE_LIB_PLAN_PANDAS_EXPRESSIONS_H_
