#include "lib/answer/decimal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace conclave {
namespace {

constexpr int64_t kMostExponent = 1'000'000'000'000'000;

bool IsDecimalDigit(char c) { return c >= '0' && c <= '9'; }

// Compares magnitudes written as digits that start at the same place.
int CompareDigits(std::string_view a, std::string_view b) {
  const int order = a.substr(0, std::min(a.size(), b.size())).compare(b.substr(0, std::min(a.size(), b.size())));
  if (order != 0) return order;
  return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

std::string AddDigits(std::string_view a, std::string_view b) {
  std::string sum(a.size() + 1, '0');
  int carry = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const int digit = (a[a.size() - 1 - i] - '0') + (i < b.size() ? b[b.size() - 1 - i] - '0' : 0) + carry;
    sum[sum.size() - 1 - i] = static_cast<char>('0' + digit % 10);
    carry = digit / 10;
  }
  sum[0] = static_cast<char>('0' + carry);
  return sum;
}

// a - b for a >= b, both right-aligned, a at least as long.
std::string SubtractDigits(std::string_view a, std::string_view b) {
  std::string difference(a);
  int borrow = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    int digit = (a[a.size() - 1 - i] - '0') - (i < b.size() ? b[b.size() - 1 - i] - '0' : 0) - borrow;
    borrow = digit < 0 ? 1 : 0;
    if (digit < 0) digit += 10;
    difference[difference.size() - 1 - i] = static_cast<char>('0' + digit);
  }
  return difference;
}

}  // namespace

Decimal::Decimal(bool negative, std::string digits, int64_t exponent) {
  const size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) return;
  const size_t last = digits.find_last_not_of('0');
  exponent_ = exponent + static_cast<int64_t>(digits.size() - 1 - last);
  digits_ = first == 0 && last + 1 == digits.size() ? std::move(digits) : digits.substr(first, last + 1 - first);
  negative_ = negative;
}

Decimal::Decimal(int64_t value)
    : Decimal(value < 0, absl::StrCat(value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value)),
              0) {}

std::optional<Decimal> Decimal::Parse(std::string_view lexeme) {
  const bool negative = !lexeme.empty() && lexeme[0] == '-';
  if (negative) lexeme.remove_prefix(1);
  std::string digits;
  int64_t exponent = 0;
  bool point = false;
  size_t i = 0;
  for (; i < lexeme.size() && (IsDecimalDigit(lexeme[i]) || (lexeme[i] == '.' && !point)); ++i) {
    if (lexeme[i] == '.') {
      point = true;
      continue;
    }
    digits.push_back(lexeme[i]);
    if (point) --exponent;
  }
  if (digits.empty()) return std::nullopt;
  if (i < lexeme.size()) {
    if (lexeme[i] != 'e' && lexeme[i] != 'E') return std::nullopt;
    std::string_view power = lexeme.substr(i + 1);
    const bool down = !power.empty() && power[0] == '-';
    if (down || (!power.empty() && power[0] == '+')) power.remove_prefix(1);
    if (power.empty() || !std::all_of(power.begin(), power.end(), IsDecimalDigit)) return std::nullopt;
    int64_t value = 0;
    const auto result = std::from_chars(power.data(), power.data() + power.size(), value);
    if (result.ec != std::errc() || value > kMostExponent) value = kMostExponent;
    exponent += down ? -value : value;
  }
  return Decimal(negative, std::move(digits), exponent);
}

Decimal Decimal::FromDouble(double value) {
  char buffer[1100];  // the longest exact double has 1,076 digits
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, 1074);
  if (error != std::errc()) return Decimal();
  return Parse(std::string_view(buffer, static_cast<size_t>(end - buffer))).value_or(Decimal());
}

int64_t Decimal::magnitude() const { return is_zero() ? 0 : exponent_ + static_cast<int64_t>(digits_.size()) - 1; }

double Decimal::approximate() const {
  if (is_zero()) return 0;
  const int64_t place = magnitude();
  if (place > 310) return negative_ ? -HUGE_VAL : HUGE_VAL;
  if (place < -330) return 0;
  const std::string_view head = std::string_view(digits_).substr(0, 20);
  const std::string text =
      absl::StrCat(negative_ ? "-" : "", std::string(head), "e", place - static_cast<int64_t>(head.size()) + 1);
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::result_out_of_range) return place > 0 ? (negative_ ? -HUGE_VAL : HUGE_VAL) : 0;
  return value;
}

Decimal Decimal::Negated() const {
  Decimal result = *this;
  result.negative_ = !is_zero() && !negative_;
  return result;
}

Decimal Decimal::Absolute() const { return negative_ ? Negated() : *this; }

Decimal Decimal::Shifted(int64_t places) const {
  Decimal result = *this;
  if (!is_zero()) result.exponent_ += places;
  return result;
}

Decimal Decimal::operator*(const Decimal& other) const {
  if (is_zero() || other.is_zero()) return Decimal();
  std::vector<int> sums(digits_.size() + other.digits_.size(), 0);
  for (size_t i = digits_.size(); i-- > 0;) {
    int carry = 0;
    for (size_t j = other.digits_.size(); j-- > 0;) {
      const int sum = sums[i + j + 1] + (digits_[i] - '0') * (other.digits_[j] - '0') + carry;
      sums[i + j + 1] = sum % 10;
      carry = sum / 10;
    }
    sums[i] += carry;
  }
  std::string product;
  product.reserve(sums.size());
  for (int digit : sums) product.push_back(static_cast<char>('0' + digit));
  return Decimal(negative_ != other.negative_, std::move(product), exponent_ + other.exponent_);
}

Decimal Decimal::operator+(const Decimal& other) const {
  if (is_zero()) return other;
  if (other.is_zero()) return *this;
  const int64_t exponent = std::min(exponent_, other.exponent_);
  std::string a = digits_ + std::string(static_cast<size_t>(exponent_ - exponent), '0');
  std::string b = other.digits_ + std::string(static_cast<size_t>(other.exponent_ - exponent), '0');
  bool negative = negative_;
  const bool swap = a.size() != b.size() ? a.size() < b.size() : a < b;
  if (swap) {
    std::swap(a, b);
    negative = other.negative_;
  }
  return Decimal(negative, negative_ == other.negative_ ? AddDigits(a, b) : SubtractDigits(a, b), exponent);
}

Decimal Decimal::operator-(const Decimal& other) const { return *this + other.Negated(); }

std::optional<Decimal> Decimal::Divide(int64_t dividend, int64_t divisor, int digits) {
  if (divisor == 0) return std::nullopt;
  const bool negative = (dividend < 0) != (divisor < 0);
  auto absolute = [](int64_t value) {
    return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  };
  const uint64_t below = absolute(divisor);
  std::string quotient = absl::StrCat(absolute(dividend) / below);
  uint64_t rest = absolute(dividend) % below;
  int64_t exponent = 0;
  const int most = digits + 20;
  while (rest != 0 && exponent > -most && below < UINT64_MAX / 10) {
    rest *= 10;
    quotient.push_back(static_cast<char>('0' + rest / below));
    rest %= below;
    --exponent;
  }
  return Decimal(negative, std::move(quotient), exponent);
}

Decimal Decimal::Floor(int64_t places) const {
  if (is_zero() || exponent_ >= -places) return *this;
  const int64_t cut = -places - exponent_;  // digits to drop
  std::string kept =
      cut >= static_cast<int64_t>(digits_.size()) ? "" : digits_.substr(0, digits_.size() - static_cast<size_t>(cut));
  Decimal result(negative_, std::move(kept), -places);
  if (!negative_) return result;
  return result - Decimal(false, "1", -places);
}

Decimal Decimal::Significant(int digits) const {
  if (static_cast<int64_t>(digits_.size()) <= digits) return *this;
  std::string kept = digits_.substr(0, static_cast<size_t>(digits));
  const int64_t exponent = exponent_ + static_cast<int64_t>(digits_.size()) - digits;
  if (digits_[static_cast<size_t>(digits)] >= '5') kept = AddDigits(kept, "1");
  return Decimal(negative_, std::move(kept), exponent);
}

std::strong_ordering Decimal::operator<=>(const Decimal& other) const {
  auto sign = [](const Decimal& d) { return d.is_zero() ? 0 : d.negative_ ? -1 : 1; };
  if (sign(*this) != sign(other)) return sign(*this) <=> sign(other);
  if (is_zero()) return std::strong_ordering::equal;
  int order = magnitude() < other.magnitude() ? -1 : magnitude() > other.magnitude() ? 1 : 0;
  if (order == 0) order = CompareDigits(digits_, other.digits_);
  return (negative_ ? -order : order) <=> 0;
}

std::string Decimal::Text() const {
  if (is_zero()) return "0";
  std::string text = absl::StrCat(negative_ ? "-" : "", digits_);
  return exponent_ == 0 ? text : absl::StrCat(text, "e", exponent_);
}

bool IsClose(const Decimal& a, const Decimal& b, const Decimal& relative) {
  if (a == b) return true;
  if (a.is_negative() != b.is_negative() || a.is_zero() || b.is_zero()) return false;
  if (std::abs(a.magnitude() - b.magnitude()) > 1) return false;
  const Decimal larger = std::max(a.Absolute(), b.Absolute());
  return (a - b).Absolute() <= larger * relative;
}

}  // namespace conclave
