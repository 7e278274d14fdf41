#include "lib/guest/ingest/number_lexeme.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace conclave::guest {
namespace {

struct UnitMark {
  std::string_view mark;
  std::string_view unit;
};

constexpr UnitMark kUnitMarks[] = {
    {"$", "$"},
    {"\xE2\x82\xAC", "\xE2\x82\xAC"},  // euro
    {"\xC2\xA3", "\xC2\xA3"},          // pound
    {"\xC2\xA5", "\xC2\xA5"},          // yen
    {"\xE2\x82\xB9", "\xE2\x82\xB9"},  // rupee
    {"\xE2\x82\xBD", "\xE2\x82\xBD"},  // rouble
    {"\xE2\x82\xA9", "\xE2\x82\xA9"},  // won
    {"R$", "R$"},
    {"US$", "US$"},
    {"USD", "USD"},
    {"EUR", "EUR"},
    {"GBP", "GBP"},
    {"CHF", "CHF"},
    {"JPY", "JPY"},
    {"CAD", "CAD"},
    {"AUD", "AUD"},
    {"SEK", "SEK"},
    {"NOK", "NOK"},
    {"DKK", "DKK"},
    {"PLN", "PLN"},
    {"INR", "INR"},
    {"CNY", "CNY"},
};

constexpr std::string_view kNoBreakSpace = "\xC2\xA0";
constexpr std::string_view kNarrowSpace = "\xE2\x80\xAF";
constexpr std::string_view kThinSpace = "\xE2\x80\x89";
constexpr std::string_view kMinusSign = "\xE2\x88\x92";
constexpr std::string_view kRightQuote = "\xE2\x80\x99";

// More digits than this behind a plus sign are a telephone number.
constexpr size_t kPlusDigits = 7;
constexpr size_t kLongest = 400;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool Take(std::string_view* text, std::string_view prefix) {
  if (text->substr(0, prefix.size()) != prefix) return false;
  text->remove_prefix(prefix.size());
  return true;
}

bool TakeEnd(std::string_view* text, std::string_view suffix) {
  if (text->size() < suffix.size() || text->substr(text->size() - suffix.size()) != suffix) return false;
  text->remove_suffix(suffix.size());
  return true;
}

void TakeSpaces(std::string_view* text) {
  while (Take(text, " ") || Take(text, kNoBreakSpace) || Take(text, kNarrowSpace)) {}
  while (TakeEnd(text, " ") || TakeEnd(text, kNoBreakSpace) || TakeEnd(text, kNarrowSpace)) {}
}

// What surrounds the digits.
struct Dressing {
  std::string_view body;
  bool negative = false;
  bool plus = false;
  bool parenthesised = false;
  std::string_view unit;
};

bool TakeSign(Dressing* dressing) {
  if (dressing->negative || dressing->plus) return false;
  if (Take(&dressing->body, "-") || Take(&dressing->body, kMinusSign)) return dressing->negative = true;
  if (Take(&dressing->body, "+")) return dressing->plus = true;
  return false;
}

bool TakeUnit(Dressing* dressing) {
  if (!dressing->unit.empty()) return false;
  if (TakeEnd(&dressing->body, "%")) {
    dressing->unit = "percent";
    return true;
  }
  for (const UnitMark& mark : kUnitMarks) {
    if (Take(&dressing->body, mark.mark) || TakeEnd(&dressing->body, mark.mark)) {
      dressing->unit = mark.unit;
      return true;
    }
  }
  return false;
}

Dressing Undress(std::string_view text) {
  Dressing dressing{.body = text};
  if (text.size() > 2 && text.front() == '(' && text.back() == ')') {
    dressing.body = text.substr(1, text.size() - 2);
    dressing.parenthesised = dressing.negative = true;
  }
  TakeSpaces(&dressing.body);
  TakeSign(&dressing);
  if (dressing.body.empty() || IsDigit(dressing.body.front()) || dressing.body.front() == '.') {
    // The usual case: only the end may carry a mark.
    if (!dressing.body.empty() && (IsDigit(dressing.body.back()) || dressing.body.back() == '.')) return dressing;
  }
  if (TakeUnit(&dressing)) {
    TakeSpaces(&dressing.body);
    TakeSign(&dressing);
  }
  return dressing;
}

// The mark at the front of `text` that is no digit: '.', ',', '\'' or ' ' (also for their typographic forms); 0 for none.
char TakeMark(std::string_view* text) {
  if (text->empty()) return 0;
  const char c = text->front();
  if (c == '.' || c == ',' || c == '\'' || c == ' ') {
    text->remove_prefix(1);
    return c;
  }
  if (Take(text, kNoBreakSpace) || Take(text, kNarrowSpace) || Take(text, kThinSpace)) return ' ';
  if (Take(text, kRightQuote)) return '\'';
  return 0;
}

struct StyleMarks {
  NumberStyle style;
  char group;
  char decimal;
};

constexpr StyleMarks kStyles[] = {{kPointDecimal, ',', '.'},
                                  {kCommaDecimal, '.', ','},
                                  {kApostropheGroups, '\'', '.'},
                                  {kSpaceGroupsPoint, ' ', '.'},
                                  {kSpaceGroupsComma, ' ', ','}};

const StyleMarks& MarksOf(NumberStyle style) {
  for (const StyleMarks& marks : kStyles) {
    if (marks.style == style) return marks;
  }
  return kStyles[0];
}

// The runs of digits of a number and the marks between them.
struct Runs {
  static constexpr size_t kMost = 16;
  size_t count = 0;
  size_t lengths[kMost];
  char marks[kMost];          // marks[i] stands before run i
  bool leading_zero = false;  // of more digits than one
  bool zero_first = false;
};

// Splits `body` into runs; false when it holds anything else. The rest of it, an exponent, stays in `body`.
bool SplitRuns(std::string_view* body, Runs* runs) {
  char mark = 0;
  while (true) {
    size_t length = 0;
    while (length < body->size() && IsDigit((*body)[length])) ++length;
    if (runs->count == Runs::kMost) return false;
    if (runs->count == 0) {
      runs->zero_first = length > 0 && body->front() == '0';
      runs->leading_zero = runs->zero_first && length > 1;
    }
    runs->lengths[runs->count] = length;
    runs->marks[runs->count++] = mark;
    body->remove_prefix(length);
    mark = TakeMark(body);
    if (mark == 0) return true;
  }
}

// Does a number of these runs fit the style, and does it have decimals then?
bool FitsStyle(const Runs& runs, const StyleMarks& style, bool* fraction) {
  size_t last = runs.count - 1;
  *fraction = last > 0 && runs.marks[last] == style.decimal;
  if (*fraction) --last;
  if (last == 0) return runs.lengths[0] > 0 || (*fraction && runs.lengths[1] > 0);
  // Nobody groups a number that begins with a zero: "0,125" has decimals.
  if (runs.lengths[0] < 1 || runs.lengths[0] > 3 || runs.zero_first) return false;
  for (size_t i = 1; i <= last; ++i) {
    if (runs.marks[i] != style.group || runs.lengths[i] != 3) return false;
  }
  return true;
}

bool ReadExponent(std::string_view rest, bool* has_sign) {
  if (rest.size() < 2 || (rest[0] != 'e' && rest[0] != 'E')) return false;
  rest.remove_prefix(1);
  *has_sign = rest[0] == '-' || rest[0] == '+';
  if (*has_sign) rest.remove_prefix(1);
  return !rest.empty() && rest.size() <= 5 && std::all_of(rest.begin(), rest.end(), IsDigit);
}

// A lexeme that from_chars reads: digits, point, exponent. False when it is longer than any number is.
bool Canonical(std::string_view body, const StyleMarks& style, bool negative, std::string* out) {
  if (body.size() > kLongest) return false;
  out->clear();
  if (negative) out->push_back('-');
  while (!body.empty()) {
    const char c = body.front();
    if (IsDigit(c) || c == 'e' || c == 'E' || c == '-' || c == '+') {
      if (c != '+') out->push_back(c);
      body.remove_prefix(1);
      continue;
    }
    const char mark = TakeMark(&body);
    if (mark == 0) return false;
    if (mark == style.decimal) out->push_back('.');
  }
  return true;
}

std::optional<double> ParseDouble(std::string_view lexeme) {
  double value = 0;
  const auto [end, error] = std::from_chars(lexeme.data(), lexeme.data() + lexeme.size(), value);
  if (error == std::errc::result_out_of_range) {
    // Too small is zero or a subnormal, correctly rounded; only too large is no number.
    value = std::strtod(std::string(lexeme).c_str(), nullptr);
    if (std::isinf(value)) return std::nullopt;
    return value;
  }
  if (error != std::errc() || end != lexeme.data() + lexeme.size()) return std::nullopt;
  return value;
}

void ReadInteger(std::string_view body, bool negative, NumberLexeme* number) {
  uint64_t total = 0;
  const uint64_t most = negative ? uint64_t{1} << 63 : (uint64_t{1} << 63) - 1;
  for (const char c : body) {
    if (!IsDigit(c)) continue;
    const uint64_t digit = static_cast<uint64_t>(c - '0');
    if (total > (most - digit) / 10) {
      number->fits = false;
      return;
    }
    total = total * 10 + digit;
  }
  number->integer = static_cast<int64_t>(negative ? 0 - total : total);
}

}  // namespace

DigitsVerdict ReadNumber(std::string_view text, NumberLexeme* number) {
  if (text.empty() || text.size() > kLongest) return DigitsVerdict::kNotANumber;
  const Dressing dressing = Undress(text);
  std::string_view rest = dressing.body;
  if (rest.empty() || (!IsDigit(rest.front()) && rest.front() != '.' && rest.front() != ',')) return DigitsVerdict::kNotANumber;
  Runs runs;
  if (!SplitRuns(&rest, &runs)) return DigitsVerdict::kNotANumber;
  bool exponent_sign = false;
  if (!rest.empty()) {
    if (!ReadExponent(rest, &exponent_sign)) return DigitsVerdict::kNotANumber;
    number->scientific = true;
  }
  number->styles = 0;
  for (const StyleMarks& style : kStyles) {
    bool fraction = false;
    if (!FitsStyle(runs, style, &fraction)) continue;
    number->styles |= style.style;
    if (fraction || number->scientific) number->fraction |= style.style;
  }
  if (number->styles == 0) return DigitsVerdict::kNotANumber;
  const bool whole = runs.count == 1;
  number->unit = dressing.unit;
  number->parenthesised = dressing.parenthesised;
  number->code_like = number->scientific && whole && !exponent_sign && dressing.body.size() == text.size();
  number->grouped = !whole && (number->fraction & number->styles) == 0;
  if (number->fraction != 0 && !number->scientific) {
    number->decimals = static_cast<uint8_t>(std::min<size_t>(runs.lengths[runs.count - 1], 255));
  }
  const std::string_view digits = dressing.body.substr(0, dressing.body.size() - rest.size());
  ReadInteger(digits, dressing.negative, number);
  if (runs.leading_zero) return DigitsVerdict::kIdentifier;
  if (dressing.plus && dressing.unit.empty() && whole && digits.size() > kPlusDigits) return DigitsVerdict::kIdentifier;
  if (number->fraction == 0 && !number->fits) return DigitsVerdict::kIdentifier;
  if (number->scientific || text.size() > 300) {
    std::string lexeme;
    const StyleMarks& style = (number->styles & kPointDecimal) != 0 ? kStyles[0] : kStyles[1];
    number->overflows = Canonical(dressing.body, style, dressing.negative, &lexeme) && !ParseDouble(lexeme).has_value();
  }
  return DigitsVerdict::kNumber;
}

std::optional<double> RealValue(std::string_view text, NumberStyle style) {
  const StyleMarks& marks = MarksOf(style);
  if (marks.decimal == '.' && !text.empty() && (IsDigit(text[0]) || text[0] == '-')) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value)) return value;
  }
  const Dressing dressing = Undress(text);
  std::string lexeme;
  if (!Canonical(dressing.body, marks, dressing.negative, &lexeme)) return std::nullopt;
  return ParseDouble(lexeme);
}

std::optional<int64_t> IntegerValue(std::string_view text, NumberStyle style) {
  int64_t value = 0;
  if (ReadPlainInteger(text, &value)) return value;
  NumberLexeme number;
  if (ReadNumber(text, &number) != DigitsVerdict::kNumber || (number.styles & style) == 0 || (number.fraction & style) != 0 ||
      !number.fits) {
    return std::nullopt;
  }
  return number.integer;
}

}  // namespace conclave::guest
