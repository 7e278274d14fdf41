#include "lib/answer/quantity.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/answer/text_folding.h"
#include "lib/base/value_json.h"

namespace conclave {
namespace {

struct NamedUnit {
  std::string_view word;
  std::string_view dimension;
  std::string_view factor;
  std::string_view offset = "0";
};

// Words in folded form. Factors are exact by definition of the units.
constexpr NamedUnit kUnits[] = {
    {"%", "ratio", "0.01"},
    {"percent", "ratio", "0.01"},
    {"per cent", "ratio", "0.01"},
    {"pct", "ratio", "0.01"},
    {"percentage", "ratio", "0.01"},
    {"\xe2\x80\xb0", "ratio", "0.001"},
    {"per mille", "ratio", "0.001"},
    {"permille", "ratio", "0.001"},
    {"fraction", "ratio", "1"},
    {"ratio", "ratio", "1"},
    {"proportion", "ratio", "1"},
    {"thousand", "ratio", "1000"},
    {"thousands", "ratio", "1000"},
    {"million", "ratio", "1000000"},
    {"millions", "ratio", "1000000"},
    {"billion", "ratio", "1000000000"},
    {"billions", "ratio", "1000000000"},
    {"pp", "points", "1"},
    {"points", "points", "1"},
    {"percentage points", "points", "1"},
    {"percent points", "points", "1"},
    {"ms", "time", "0.001"},
    {"s", "time", "1"},
    {"sec", "time", "1"},
    {"secs", "time", "1"},
    {"second", "time", "1"},
    {"seconds", "time", "1"},
    {"min", "time", "60"},
    {"mins", "time", "60"},
    {"minute", "time", "60"},
    {"minutes", "time", "60"},
    {"h", "time", "3600"},
    {"hr", "time", "3600"},
    {"hrs", "time", "3600"},
    {"hour", "time", "3600"},
    {"hours", "time", "3600"},
    {"d", "time", "86400"},
    {"day", "time", "86400"},
    {"days", "time", "86400"},
    {"week", "time", "604800"},
    {"weeks", "time", "604800"},
    {"year", "years", "1"},
    {"years", "years", "1"},
    {"yr", "years", "1"},
    {"yrs", "years", "1"},
    {"month", "months", "1"},
    {"months", "months", "1"},
    {"mm", "length", "0.001"},
    {"cm", "length", "0.01"},
    {"m", "length", "1"},
    {"metre", "length", "1"},
    {"metres", "length", "1"},
    {"meter", "length", "1"},
    {"meters", "length", "1"},
    {"km", "length", "1000"},
    {"kilometres", "length", "1000"},
    {"kilometers", "length", "1000"},
    {"in", "length", "0.0254"},
    {"inch", "length", "0.0254"},
    {"inches", "length", "0.0254"},
    {"ft", "length", "0.3048"},
    {"feet", "length", "0.3048"},
    {"yd", "length", "0.9144"},
    {"mi", "length", "1609.344"},
    {"mile", "length", "1609.344"},
    {"miles", "length", "1609.344"},
    {"mg", "mass", "0.000001"},
    {"g", "mass", "0.001"},
    {"kg", "mass", "1"},
    {"t", "mass", "1000"},
    {"lb", "mass", "0.45359237"},
    {"lbs", "mass", "0.45359237"},
    {"oz", "mass", "0.028349523125"},
    {"f", "temperature", "1"},
    {"\xc2\xb0"
     "f",
     "temperature", "1"},
    {"c", "temperature", "1.8", "32"},
    {"\xc2\xb0"
     "c",
     "temperature", "1.8", "32"},
    {"k", "temperature", "1.8", "-459.67"},
    {"$", "currency:USD", "1"},
    {"us$", "currency:USD", "1"},
    {"usd", "currency:USD", "1"},
    {"dollar", "currency:USD", "1"},
    {"dollars", "currency:USD", "1"},
    {"\xe2\x82\xac", "currency:EUR", "1"},
    {"eur", "currency:EUR", "1"},
    {"euro", "currency:EUR", "1"},
    {"euros", "currency:EUR", "1"},
    {"\xc2\xa3", "currency:GBP", "1"},
    {"gbp", "currency:GBP", "1"},
    {"\xc2\xa5", "currency:JPY", "1"},
    {"jpy", "currency:JPY", "1"},
    {"chf", "currency:CHF", "1"},
    {"cad", "currency:CAD", "1"},
    {"aud", "currency:AUD", "1"},
    {"inr", "currency:INR", "1"},
    {"\xe2\x82\xb9", "currency:INR", "1"},
    {"cny", "currency:CNY", "1"},
};

const NamedUnit* FindNamedUnit(const std::string& folded) {
  for (const NamedUnit& unit : kUnits) {
    if (unit.word == folded) return &unit;
  }
  return nullptr;
}

bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }

// Digits and separators of one number, without sign: "1.234,50", "1 234 567", "1,234". Gives the lexeme with a point, and
// absent for groupings that are none and for leading zeros.
std::optional<std::string> ReadSeparators(const std::string& text) {
  if (text.empty() || !std::any_of(text.begin(), text.end(), IsAsciiDigit)) return std::nullopt;
  if (std::any_of(text.begin(), text.end(),
                  [](char c) { return !IsAsciiDigit(c) && c != '.' && c != ',' && c != ' ' && c != '\''; })) {
    return std::nullopt;
  }
  const size_t points = static_cast<size_t>(std::count(text.begin(), text.end(), '.'));
  const size_t commas = static_cast<size_t>(std::count(text.begin(), text.end(), ','));
  size_t mark = std::string::npos;  // where the decimal mark is
  if (points > 0 && commas > 0) {
    mark = text.find_last_of(".,");
  } else if (points == 1) {
    mark = text.find('.');
  } else if (commas == 1) {
    const bool grouped = text.find_first_of(" '") != std::string::npos;
    if (grouped || text.size() - text.find(',') - 1 != 3 || text.find(',') > 3) mark = text.find(',');
  }
  const std::string whole = text.substr(0, mark);
  const std::string fraction = mark == std::string::npos ? "" : text.substr(mark + 1);
  if (mark != std::string::npos && (fraction.empty() || !std::all_of(fraction.begin(), fraction.end(), IsAsciiDigit))) {
    return std::nullopt;
  }
  const size_t first_separator = whole.find_first_of(".,' ");
  std::string digits;
  if (first_separator == std::string::npos) {
    digits = whole;
  } else {
    const char separator = whole[first_separator];
    if (first_separator == 0 || first_separator > 3) return std::nullopt;
    for (size_t i = 0; i < whole.size(); ++i) {
      const bool expected = i >= first_separator && (i - first_separator) % 4 == 0;
      if (expected != (whole[i] == separator)) return std::nullopt;
      if (!expected && !IsAsciiDigit(whole[i])) return std::nullopt;
      if (!expected) digits.push_back(whole[i]);
    }
    if ((whole.size() - first_separator) % 4 != 0) return std::nullopt;
  }
  if (digits.empty()) digits = "0";
  if (digits.size() > 1 && digits[0] == '0') return std::nullopt;  // an identifier
  return fraction.empty() ? digits : absl::StrCat(digits, ".", fraction);
}

int64_t LexemeDecimals(std::string_view lexeme) {
  const size_t power = lexeme.find_first_of("eE");
  const size_t point = lexeme.find('.');
  const std::string_view mantissa = lexeme.substr(0, power);
  int64_t decimals = point == std::string_view::npos ? 0 : static_cast<int64_t>(mantissa.size() - point - 1);
  if (power != std::string_view::npos) {
    const std::optional<Decimal> exponent = Decimal::Parse("1" + std::string(lexeme.substr(power)));
    decimals -= exponent ? exponent->exponent() : 0;
  }
  return decimals;
}

std::optional<Quantity> FromLexeme(const std::string& lexeme) {
  Quantity quantity;
  if (lexeme == "nan") quantity.special = Quantity::Special::kNotANumber;
  if (lexeme == "inf") quantity.special = Quantity::Special::kInfinite;
  if (lexeme == "-inf") quantity.special = Quantity::Special::kMinusInfinite;
  if (quantity.special != Quantity::Special::kFinite) return quantity;
  std::optional<Decimal> shown = Decimal::Parse(lexeme);
  if (!shown) return std::nullopt;
  quantity.shown = *std::move(shown);
  quantity.decimals = LexemeDecimals(lexeme);
  quantity.exact = lexeme.find_first_of(".eE") == std::string::npos;
  return quantity;
}

std::optional<int> ReadNumberWord(const std::string& folded) {
  static constexpr std::array<std::string_view, 21> kWords = {
      "zero",   "one",    "two",      "three",    "four",    "five",    "six",       "seven",    "eight",    "nine",  "ten",
      "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"};
  for (size_t i = 0; i < kWords.size(); ++i) {
    if (folded == kWords[i]) return static_cast<int>(i);
  }
  return std::nullopt;
}

// "3/4" as the number it is, to 34 digits.
std::optional<Quantity> ReadFraction(const std::string& folded) {
  const size_t slash = folded.find('/');
  int64_t dividend = 0;
  int64_t divisor = 0;
  if (slash == std::string::npos || folded.size() > 20 || !absl::SimpleAtoi(folded.substr(0, slash), &dividend) ||
      !absl::SimpleAtoi(folded.substr(slash + 1), &divisor)) {
    return std::nullopt;
  }
  std::optional<Decimal> quotient = Decimal::Divide(dividend, divisor, 34);
  if (!quotient) return std::nullopt;
  Quantity quantity;
  quantity.decimals = std::max<int64_t>(0, -quotient->exponent());
  quantity.shown = *std::move(quotient);
  return quantity;
}

// "1:30:00" in seconds.
std::optional<Quantity> ReadClock(const std::string& folded) {
  std::vector<int64_t> parts(1, 0);
  size_t digits = 0;
  for (char c : folded) {
    if (c == ':' && digits > 0) {
      parts.push_back(0);
      digits = 0;
    } else if (IsAsciiDigit(c) && ++digits <= 6) {
      parts.back() = parts.back() * 10 + (c - '0');
    } else {
      return std::nullopt;
    }
  }
  if (digits == 0 || parts.size() != 3 || parts[1] > 59 || parts[2] > 59) return std::nullopt;
  Quantity quantity;
  quantity.shown = Decimal((parts[0] * 60 + parts[1]) * 60 + parts[2]);
  quantity.exact = true;
  quantity.unit = *FindUnit("s");
  return quantity;
}

struct SignedBody {
  bool negative = false;
  std::string body;
};

// Takes sign or accounting parentheses off.
SignedBody TakeSign(std::string text) {
  SignedBody result;
  if (text.size() > 2 && text.front() == '(' && text.back() == ')') {
    result.negative = true;
    text = text.substr(1, text.size() - 2);
  } else if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    result.negative = text[0] == '-';
    text.erase(0, 1);
  }
  absl::StripAsciiWhitespace(&text);
  result.body = std::move(text);
  return result;
}

// Takes a currency sign before, or a known unit after, the number.
std::optional<Unit> TakeUnit(std::string* body) {
  for (const NamedUnit& unit : kUnits) {
    if (unit.dimension.starts_with("currency:") && body->size() > unit.word.size() && body->starts_with(unit.word)) {
      body->erase(0, unit.word.size());
      absl::StripAsciiWhitespace(body);
      return FindUnit(unit.word);
    }
  }
  const size_t last = body->find_last_of("0123456789");
  if (last == std::string::npos || last + 1 == body->size()) return Unit();
  std::string word = body->substr(last + 1);
  absl::StripAsciiWhitespace(&word);
  if (FindNamedUnit(word) == nullptr) return std::nullopt;
  body->erase(last + 1);
  return FindUnit(word);
}

// "k", "m", "b" and their long forms right after the number: a power of ten. Takes it off, with what follows kept.
int64_t TakeScale(std::string* body, const std::string& original) {
  const size_t last = body->find_last_of("0123456789");
  if (last == std::string::npos || last + 1 == body->size()) return 0;
  std::string word = body->substr(last + 1);
  absl::StripAsciiWhitespace(&word);
  int64_t power = 0;
  // "1.23M" is a million and "10 m" are metres: the suffix is a capital that touches the number.
  const bool touching = (*body)[last + 1] != ' ';
  if (word == "m" && touching && original.find('M') != std::string::npos) power = 6;
  if (word == "k" && touching) power = 3;
  if ((word == "b" || word == "bn") && touching) power = 9;
  if (word == "thousand") power = 3;
  if (word == "million" || word == "mn") power = 6;
  if (word == "billion") power = 9;
  if (power != 0) body->erase(last + 1);
  return power;
}

std::optional<Quantity> ReadPlainText(const std::string& folded, const std::string& original) {
  SignedBody number = TakeSign(folded);
  std::string body = number.body;
  const int64_t scale = TakeScale(&body, original);
  std::optional<Unit> unit = TakeUnit(&body);
  if (!unit) return std::nullopt;
  if (!number.negative && !body.empty() && body[0] == '-') {  // "$-5"
    number.negative = true;
    body.erase(0, 1);
  }
  std::optional<std::string> lexeme = ReadSeparators(body);
  if (!lexeme) {
    if (!IsNumberLexeme(body) || body == "nan" || body == "inf" || body == "-inf" || body[0] == '-') return std::nullopt;
    lexeme = body;
  }
  std::optional<Quantity> quantity = FromLexeme(*lexeme);
  if (!quantity) return std::nullopt;
  if (number.negative) quantity->shown = quantity->shown.Negated();
  if (scale != 0) {
    quantity->shown = quantity->shown.Shifted(scale);
    quantity->decimals -= scale;
    quantity->exact = false;
  }
  quantity->unit = *std::move(unit);
  return quantity;
}

std::optional<Quantity> ReadText(const std::string& text, const ComparisonContext& context) {
  if (text.empty() || text.size() > 256) return std::nullopt;
  const std::string original = TrimText(text);
  const std::string folded = absl::AsciiStrToLower(original);
  const bool numeric = context.kind == v1::NUMBER || context.kind == v1::INTEGER;
  if (numeric) {
    if (std::optional<Quantity> fraction = ReadFraction(folded)) return fraction;
    if (std::optional<int> word = ReadNumberWord(folded)) return FromLexeme(absl::StrCat(*word));
  }
  std::optional<Unit> asked = FindUnit(context.unit);
  if (asked && asked->dimension == "time") {
    if (std::optional<Quantity> clock = ReadClock(folded)) return clock;
  }
  return ReadPlainText(folded, original);
}

}  // namespace

std::optional<Unit> FindUnit(std::string_view word) {
  const std::string folded = FoldText(word);
  if (folded.empty()) return std::nullopt;
  Unit unit;
  if (const NamedUnit* named = FindNamedUnit(folded)) {
    unit.dimension = std::string(named->dimension);
    unit.factor = *Decimal::Parse(named->factor);
    unit.offset = *Decimal::Parse(named->offset);
  } else {
    unit.dimension = "other:" + (folded.ends_with('s') ? folded.substr(0, folded.size() - 1) : folded);
  }
  return unit;
}

std::optional<Quantity> ReadQuantity(const v1::Value& value, const NumberClaims& claims, const ComparisonContext& context) {
  std::optional<Quantity> quantity;
  if (value.has_integer()) {
    quantity = FromLexeme(value.integer());
  } else if (value.has_number()) {
    quantity = FromLexeme(value.number());
    if (quantity) quantity->from_double = !quantity->exact;
    if (quantity) quantity->exact = false;
  } else if (value.has_text()) {
    quantity = ReadText(value.text(), context);
  }
  if (!quantity) return quantity;
  if (claims.decimals && !quantity->exact) quantity->decimals = *claims.decimals;
  if (quantity->unit.dimension.empty()) {
    const std::string& unit = !claims.unit.empty() ? claims.unit : !context.unit.empty() ? context.unit : context.currency;
    if (std::optional<Unit> found = FindUnit(unit)) quantity->unit = *std::move(found);
  }
  return quantity;
}

}  // namespace conclave
