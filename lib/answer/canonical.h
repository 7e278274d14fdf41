// Canonical text of values and answers: what is equal whatever the program, its types and its order.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_ANSWER_CANONICAL_H_
#define CONCLAVE_LIB_ANSWER_CANONICAL_H_

#include <string>

#include "conclave/v1/answer.pb.h"
#include "lib/answer/comparison_context.h"

namespace conclave {

// Exact: values with equal text agree. Values that agree within a tolerance have different texts.
std::string CanonicalText(const v1::Value& value, const ComparisonContext& context);

// The same for a whole answer: single cells are unwrapped, columns that only number the rows dropped, columns sorted by folded
// name, and rows too unless order counts.
std::string CanonicalAnswer(const v1::Answer& answer, const ComparisonContext& context);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANSWER_CANONICAL_H_
