// Quantity: a number as it was stated, with its precision and its unit.
//
// Thread safety: value type; functions are pure.
#ifndef CONCLAVE_LIB_ANSWER_QUANTITY_H_
#define CONCLAVE_LIB_ANSWER_QUANTITY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "conclave/v1/answer.pb.h"
#include "lib/answer/comparison_context.h"
#include "lib/answer/decimal.h"

namespace conclave {

// base = shown * factor + offset, in the base unit of the dimension.
struct Unit {
  std::string dimension;  // "ratio", "time", "length", "mass", "temperature", "currency:USD"; "other:..." for unknown words;
                          // empty for none
  Decimal factor = Decimal(1);
  Decimal offset;

  bool operator==(const Unit&) const = default;
};

// Absent for an empty word. Unknown words become a dimension of their own.
std::optional<Unit> FindUnit(std::string_view word);

struct Quantity {
  enum class Special { kFinite, kNotANumber, kInfinite, kMinusInfinite };
  Special special = Special::kFinite;
  Decimal shown;
  // Decimals stated: 2 for "34.60", -4 for "1.23M". Meaningless with `exact`.
  int64_t decimals = 0;
  bool exact = false;        // an integer written out: claims every digit
  bool from_double = false;  // printed by a program as a binary number
  Unit unit;

  Decimal base() const { return shown * unit.factor + unit.offset; }
  // How many significant digits it shows; 0 for zero.
  int64_t significant() const { return shown.is_zero() ? 0 : shown.magnitude() + 1 + decimals; }
  bool comparable_in_base() const { return shown.magnitude() > -1000 && shown.magnitude() < 1000; }
};

// What a side of the comparison says about all its numbers.
struct NumberClaims {
  std::string unit;
  std::optional<int> decimals;
};

// The number that `value` is: an integer or number, or text that can only be one ("1,234.50 USD", "(12.00)", "66.7%"; fractions
// and number words where the context expects a number). Absent otherwise, for text with leading zeros in particular.
std::optional<Quantity> ReadQuantity(const v1::Value& value, const NumberClaims& claims, const ComparisonContext& context);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANSWER_QUANTITY_H_
