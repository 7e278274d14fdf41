// Comparison of two answers: do independent programs say the same thing?
//
// Decisions are symmetric, and do not change when rows are permuted (unless order was asked for), when columns of agreeing
// tables are renamed, or when all numbers are scaled by a power of two. Agreement is no equivalence: a may agree with b and b
// with c while a and c differ.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_ANSWER_COMPARE_H_
#define CONCLAVE_LIB_ANSWER_COMPARE_H_

#include <string>

#include "conclave/v1/answer.pb.h"
#include "lib/answer/comparison_context.h"
#include "lib/answer/scalar_compare.h"

namespace conclave {

struct Comparison {
  bool agree = false;
  Closeness closeness = Closeness::kDifferent;
  // Stable word: "equal", "tolerance", "rounding", "decimals", "converted", "missing", "tie", "declined", ...; when they do not
  // agree "value", "unit", "type_mismatch", "too_coarse", "row_count", "row_order", "abstains", "declined", ...
  std::string reason;
  // The first place where they differ, for people: `row 2, column "v": 2 against 3`. Empty when they agree.
  std::string difference;
};

// An answer of kind ERROR, or of no kind, agrees with nothing, itself included. Two declined answers agree.
Comparison Compare(const v1::Answer& a, const v1::Answer& b, const ComparisonContext& context);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANSWER_COMPARE_H_
