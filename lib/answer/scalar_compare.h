// Comparison of two single values.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_ANSWER_SCALAR_COMPARE_H_
#define CONCLAVE_LIB_ANSWER_SCALAR_COMPARE_H_

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "conclave/v1/answer.pb.h"
#include "lib/answer/comparison_context.h"
#include "lib/answer/quantity.h"

namespace conclave {

// How near two values are. Order matters: the closeness of two tables is the least of their cells'.
enum class Closeness { kDifferent, kRounded, kTolerant, kExact };

// How, and where the answer is no, why: a stable word and the two values.
struct ScalarComparison {
  Closeness closeness = Closeness::kDifferent;
  std::string reason;

  bool agree() const { return closeness != Closeness::kDifferent; }
};

// null, not-a-number and empty text are the same missing value.
bool IsMissing(const v1::Value& value);

// The yes or no that `value` is. Words and 0 or 1 count only where the context expects a boolean; "not significant" is read
// with the property the question asks for.
std::optional<bool> ReadBoolean(const v1::Value& value, const ComparisonContext& context);

// Labels under the text rule: folded, unless the column itself tells spellings apart that fold to the same.
class LabelRule {
 public:
  explicit LabelRule(const std::set<std::string>& column_has);
  std::string Canonical(std::string_view text) const;

 private:
  std::set<std::string> colliding_;  // folded forms that more than one value of the column has
};

// Equal text for equal dates: of a date, a text that can only be one, a year or (where expected) seconds since 1970. Absent for
// everything else.
std::optional<std::string> DateKey(const v1::Value& value, const ComparisonContext& context);

ScalarComparison CompareQuantities(const Quantity& a, const Quantity& b, const ComparisonContext& context);

// Neither may be a list, map or table. Symmetric.
ScalarComparison CompareScalars(const v1::Value& a, const NumberClaims& a_claims, const v1::Value& b,
                                const NumberClaims& b_claims, const ComparisonContext& context);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANSWER_SCALAR_COMPARE_H_
