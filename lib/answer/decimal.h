// Decimal: an exact decimal number of any length, for comparing what programs printed without passing through a double.
//
// Thread safety: value type.
// Ownership: value type.
#ifndef CONCLAVE_LIB_ANSWER_DECIMAL_H_
#define CONCLAVE_LIB_ANSWER_DECIMAL_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace conclave {

// sign * digits * 10^exponent. Cost grows with the digits written, never with the size of an exponent: operations that would
// have to write out a gap between exponents are left to functions that do not need it.
class Decimal {
 public:
  Decimal() = default;  // zero
  explicit Decimal(int64_t value);

  // Reads a number lexeme ("-12.50", "1e-7"). Absent for anything else; exponents beyond +-10^15 are cut to that.
  static std::optional<Decimal> Parse(std::string_view lexeme);
  // The exact value of a finite double.
  static Decimal FromDouble(double value);

  bool is_zero() const { return digits_.empty(); }
  bool is_negative() const { return negative_; }
  bool is_integral() const { return exponent_ >= 0; }
  // Position of the first digit: 0 for 1 to 9.99, 2 for 100, -1 for 0.1; 0 for zero.
  int64_t magnitude() const;
  // Digits without leading and trailing zeros; what is left of the value once sign and exponent are taken away.
  const std::string& digits() const { return digits_; }
  int64_t exponent() const { return exponent_; }
  double approximate() const;

  Decimal Negated() const;
  Decimal Absolute() const;
  // times 10^places
  Decimal Shifted(int64_t places) const;
  Decimal operator*(const Decimal& other) const;
  // Sum and difference; the magnitudes must be within 4,000 places of each other (a zero always is).
  Decimal operator+(const Decimal& other) const;
  Decimal operator-(const Decimal& other) const;
  // The quotient of integers cut to `digits` significant digits. Absent when the divisor is zero.
  static std::optional<Decimal> Divide(int64_t dividend, int64_t divisor, int digits);

  // The largest multiple of 10^-places that is not above this.
  Decimal Floor(int64_t places) const;
  // Rounded half away from zero to `digits` significant digits.
  Decimal Significant(int digits) const;

  std::strong_ordering operator<=>(const Decimal& other) const;
  bool operator==(const Decimal& other) const = default;

  // Canonical: equal numbers have equal text ("0", "-125e-1", "1e3").
  std::string Text() const;

 private:
  Decimal(bool negative, std::string digits, int64_t exponent);

  bool negative_ = false;
  std::string digits_;  // neither leading nor trailing zeros; empty for zero
  int64_t exponent_ = 0;
};

// |a - b| <= relative * max(|a|, |b|).
bool IsClose(const Decimal& a, const Decimal& b, const Decimal& relative);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANSWER_DECIMAL_H_
