// Numbers as people write them: group and decimal marks, currency and percent, exponents; and their exact values.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_GUEST_INGEST_NUMBER_LEXEME_H_
#define CONCLAVE_LIB_GUEST_INGEST_NUMBER_LEXEME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace conclave::guest {

// How digits are grouped and where decimals begin. A column has one style; a cell may fit several.
enum NumberStyle : uint8_t {
  kPointDecimal = 1,       // 1,234.5
  kCommaDecimal = 2,       // 1.234,5
  kApostropheGroups = 4,   // 1'234.5
  kSpaceGroupsPoint = 8,   // 1 234.5
  kSpaceGroupsComma = 16,  // 1 234,5
  kEveryStyle = 31,
};

struct NumberLexeme {
  uint8_t styles = kEveryStyle;  // styles it fits
  uint8_t fraction = 0;          // of these: the ones under which it has decimals (or an exponent)
  uint8_t decimals = 0;          // under those; 255: more
  bool grouped = false;          // has group marks under every style it fits
  bool scientific = false;
  bool code_like = false;      // "12E3": an exponent without point or sign, as product codes have
  bool parenthesised = false;  // "(5)": minus five
  bool fits = true;            // as an integer (marks ignored) it fits 64 bits
  bool overflows = false;      // its magnitude is beyond every double
  int64_t integer = 0;         // marks ignored; when `fits`
  std::string_view unit;       // "$", "percent", "EUR"; empty: none
};

// Why digits are an identifier rather than a number.
enum class DigitsVerdict { kNotANumber, kNumber, kIdentifier };

// `text` without surrounding white space.
DigitsVerdict ReadNumber(std::string_view text, NumberLexeme* number);

// The value under `style`, correctly rounded. Nothing when it does not fit a double.
std::optional<double> RealValue(std::string_view text, NumberStyle style);
// The value under `style`, exact. Nothing when it is no 64-bit integer.
std::optional<int64_t> IntegerValue(std::string_view text, NumberStyle style);

// The fast case: an optional '-' and 1 to 18 digits without a leading zero. False for everything else.
inline bool ReadPlainInteger(std::string_view text, int64_t* value) {
  size_t i = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) i = 1;
  const size_t digits = text.size() - i;
  if (digits == 0 || digits > 18 || (text[i] == '0' && digits > 1)) return false;
  int64_t total = 0;
  for (; i < text.size(); ++i) {
    const unsigned digit = static_cast<unsigned char>(text[i]) - unsigned{'0'};
    if (digit > 9) return false;
    total = total * 10 + digit;
  }
  *value = negative ? -total : total;
  return true;
}

// The fast case: an optional '-', digits without a leading zero, a point, digits; at most 19 bytes of them. False for
// everything else, and where the point might be a group mark.
inline bool ReadPlainDecimal(std::string_view text, uint8_t* decimals) {
  size_t i = !text.empty() && text[0] == '-' ? 1 : 0;
  const size_t start = i;
  while (i < text.size() && static_cast<unsigned char>(text[i] - '0') <= 9) ++i;
  const size_t whole = i - start;
  if (whole == 0 || whole > 15 || (whole > 1 && text[start] == '0') || i >= text.size() || text[i] != '.') return false;
  const size_t point = i++;
  while (i < text.size() && static_cast<unsigned char>(text[i] - '0') <= 9) ++i;
  const size_t places = i - point - 1;
  if (i != text.size() || places == 0 || places > 200 || (places == 3 && whole <= 3 && text[start] != '0')) return false;
  *decimals = static_cast<uint8_t>(places);
  return true;
}

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_NUMBER_LEXEME_H_
