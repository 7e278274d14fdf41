#include "lib/guest/recount/cell_check.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "lib/base/text.h"

namespace conclave::guest {
namespace {

constexpr int64_t kSecond = 1'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool HasDigit(std::string_view text) { return std::any_of(text.begin(), text.end(), IsDigit); }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool IsNegative(std::string_view text) {
  const size_t digit = text.find_first_of("0123456789");
  const std::string_view before = text.substr(0, digit);
  const bool trailing = !text.empty() && text.back() == '-';
  return before.find('-') != std::string_view::npos || before.find("\xE2\x88\x92") != std::string_view::npos ||
         before.find('(') != std::string_view::npos || trailing;
}

std::string DigitsOf(std::string_view text) {
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), IsDigit);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - (digits.empty() ? 0 : 1)));
  return digits;
}

// Words and runs of digits in the order they stand.
struct TimeParts {
  std::vector<std::string> numbers;
  int month = 0;           // from a month's name
  bool afternoon = false;  // "pm"
  bool morning = false;    // "am"
  bool offset_known = false;
  int64_t offset = 0;  // seconds east of UTC
};

int MonthNamed(const std::string& word) {
  static constexpr const char* kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};
  for (int i = 0; i < 12; ++i) {
    if (word.size() >= 3 && word.compare(0, 3, kMonths[i]) == 0) return i + 1;
  }
  return 0;
}

// Takes "+01:00", "-0530" or "Z" off the end of a time.
std::string_view TakeOffset(std::string_view text, TimeParts* parts) {
  if (!text.empty() && (text.back() == 'Z' || text.back() == 'z')) {
    parts->offset_known = true;
    return text.substr(0, text.size() - 1);
  }
  const size_t colon = text.find(':');
  const size_t sign = text.find_last_of("+-");
  if (colon == std::string_view::npos || sign == std::string_view::npos || sign < colon) return text;
  const std::string digits = [&] {
    std::string found;
    for (char c : text.substr(sign)) {
      if (IsDigit(c)) found.push_back(c);
    }
    return found;
  }();
  if (digits.size() != 2 && digits.size() != 4) return text;
  const int64_t hours = std::stoi(digits.substr(0, 2));
  const int64_t minutes = digits.size() == 4 ? std::stoi(digits.substr(2)) : 0;
  parts->offset_known = true;
  parts->offset = (text[sign] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
  return Trimmed(text.substr(0, sign));
}

TimeParts SplitTime(std::string_view text) {
  TimeParts parts;
  text = TakeOffset(Trimmed(text), &parts);
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    if (IsDigit(text[i])) {
      while (end < text.size() && IsDigit(text[end])) ++end;
      parts.numbers.emplace_back(text.substr(i, end - i));
    } else if (std::isalpha(static_cast<unsigned char>(text[i])) != 0) {
      while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) != 0) ++end;
      const std::string word = absl::AsciiStrToLower(std::string(text.substr(i, end - i)));
      if (word == "pm") parts.afternoon = true;
      if (word == "am") parts.morning = true;
      if (parts.month == 0) parts.month = MonthNamed(word);
    } else {
      end = i + 1;
    }
    i = end;
  }
  // 20240301 and 20240301T1030 stand for separated numbers.
  if (!parts.numbers.empty() && parts.numbers[0].size() == 8 && parts.month == 0) {
    const std::string day = parts.numbers[0];
    parts.numbers[0] = day.substr(0, 4);
    parts.numbers.insert(parts.numbers.begin() + 1, {day.substr(4, 2), day.substr(6, 2)});
  }
  return parts;
}

bool YearMatches(const std::string& text, int64_t year) {
  if (text.size() > 4) return false;
  const int64_t number = std::stoi(text);
  return text.size() <= 2 ? number == year % 100 : number == year;
}

bool NumberMatches(const std::string& text, int64_t value) { return text.size() <= 4 && std::stoi(text) == value; }

// The day in the first two (with a named month) or three numbers; `used` tells how many.
bool DayMatches(const TimeParts& parts, const absl::CivilDay& day, size_t convention, size_t* used) {
  const auto& numbers = parts.numbers;
  if (parts.month != 0) {
    *used = 2;
    if (numbers.size() < 2 || parts.month != day.month()) return false;
    const bool day_then_year = NumberMatches(numbers[0], day.day()) && YearMatches(numbers[1], day.year());
    return day_then_year || (YearMatches(numbers[0], day.year()) && NumberMatches(numbers[1], day.day()));
  }
  *used = 3;
  if (numbers.size() < 3) return false;
  const size_t year_at = convention == 0 ? 0 : 2;
  const size_t month_at = convention == 2 ? 0 : 1;
  const size_t day_at = 3 - year_at - month_at;
  return YearMatches(numbers[year_at], day.year()) && NumberMatches(numbers[month_at], day.month()) &&
         NumberMatches(numbers[day_at], day.day());
}

int64_t FractionMicroseconds(std::string digits) {
  digits.resize(6, '0');
  return std::stoll(digits);
}

// The commonest form, ten characters, without taking the text apart.
bool IsIsoDay(std::string_view text, int64_t microseconds) {
  const absl::CivilDay day = absl::CivilDay(1970, 1, 1) + microseconds / (86'400 * kSecond);
  const auto number = [&](size_t at, size_t digits) {
    int64_t value = 0;
    for (size_t i = at; i < at + digits; ++i) value = IsDigit(text[i]) && value >= 0 ? value * 10 + (text[i] - '0') : -1;
    return value;
  };
  return text[4] == '-' && text[7] == '-' && number(0, 4) == day.year() && number(5, 2) == day.month() &&
         number(8, 2) == day.day();
}

bool ReadsAsBoolean(std::string_view text, bool value) {
  static constexpr std::string_view kTrue[] = {"true", "t", "yes", "y", "1", "on"};
  static constexpr std::string_view kFalse[] = {"false", "f", "no", "n", "0", "off"};
  const std::string word = absl::AsciiStrToLower(std::string(Trimmed(text)));
  const auto& words = value ? kTrue : kFalse;
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

}  // namespace

bool ReadsAsInteger(std::string_view text, int64_t value) {
  int64_t plain = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), plain);
  if (error == std::errc() && end == text.data() + text.size()) return plain == value;
  // Digits that begin with a zero are no whole number: "0,125" has decimals, "007" is a code.
  const size_t first = text.find_first_of("0123456789");
  const size_t second = first == std::string_view::npos ? first : text.find_first_of("0123456789", first + 1);
  if (second != std::string_view::npos && text[first] == '0') return false;
  const uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  return DigitsOf(text) == std::to_string(magnitude) && (value == 0 || IsNegative(text) == (value < 0));
}

bool ReadsAsReal(std::string_view text, double value, size_t convention) {
  const char mark = convention == 0 ? '.' : ',';
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (IsDigit(c)) {
      plain.push_back(c);
    } else if (c == mark) {
      plain.push_back('.');
    } else if ((c == 'e' || c == 'E') && !plain.empty() && i + 1 < text.size()) {
      plain.push_back('e');
    } else if ((c == '-' || c == '+') && !plain.empty() && plain.back() == 'e') {
      if (c == '-') plain.push_back('-');
    }
  }
  if (plain.size() > 1 && plain[0] == '0' && IsDigit(plain[1])) return false;
  double magnitude = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), magnitude);
  if (error != std::errc() || end != plain.data() + plain.size()) return false;
  return magnitude == std::fabs(value) && (value == 0 || IsNegative(text) == (value < 0));
}

bool ReadsAsTime(std::string_view text, int64_t microseconds, bool instant, size_t convention) {
  if (convention == 0 && text.size() == 10 && microseconds % (86'400 * kSecond) == 0 && IsIsoDay(text, microseconds))
    return true;
  const TimeParts parts = SplitTime(text);
  if (instant) microseconds += parts.offset * kSecond;
  int64_t seconds = microseconds / kSecond;
  int64_t fraction = microseconds % kSecond;
  if (fraction < 0) {
    fraction += kSecond;
    --seconds;
  }
  const absl::CivilSecond time = absl::CivilSecond(1970, 1, 1) + seconds;
  size_t used = 0;
  if (!DayMatches(parts, absl::CivilDay(time), convention, &used)) return false;
  int64_t clock[4] = {0, 0, 0, 0};  // hour, minute, second, microseconds
  for (size_t i = used; i < parts.numbers.size(); ++i) {
    const std::string& number = parts.numbers[i];
    if (i - used > 3 || (i - used < 3 && number.size() > 2)) return false;
    clock[i - used] = i - used == 3 ? FractionMicroseconds(number) : std::stoll(number);
  }
  if (parts.afternoon && clock[0] < 12) clock[0] += 12;
  if (parts.morning && clock[0] == 12) clock[0] = 0;
  return clock[0] == time.hour() && clock[1] == time.minute() && clock[2] == time.second() && clock[3] == fraction;
}

bool ColumnCheck::Agrees(uint64_t row, std::string_view text, size_t convention) const {
  switch (column_.type()) {
    case StoredType::kInteger: return ReadsAsInteger(text, column_.Integer(row));
    case StoredType::kReal: return ReadsAsReal(text, column_.Real(row), convention % 2);
    case StoredType::kBoolean: return ReadsAsBoolean(text, column_.Boolean(row));
    case StoredType::kText: {
      const std::string_view stored = column_.Text(row);
      return text == stored || Trimmed(text) == Trimmed(stored) || RepairUtf8(text) == stored;
    }
    case StoredType::kDate:
    case StoredType::kTimestamp: return ReadsAsTime(text, column_.Integer(row), false, convention);
    case StoredType::kTimestampTz: return ReadsAsTime(text, column_.Integer(row), true, convention);
  }
  return false;
}

void ColumnCheck::Add(uint64_t row, std::string_view text, bool quoted) {
  if (column_.IsNull(row)) {
    // A marker for "missing" holds no digit. In a text column it could be any text: all are counted here, and held against the
    // number of markers that the first reader tells.
    const bool holds = column_.type() == StoredType::kText ? !Trimmed(text).empty() : HasDigit(text);
    if (!holds) return;
    if (lost_++ == 0)
      lost_example_ = absl::StrCat("row ", row + 1, ": the file says \"", Excerpt(text, 40), "\", the store nothing");
    return;
  }
  if (column_.type() == StoredType::kText && !quoted && text.empty() && !column_.Text(row).empty()) {
    for (uint64_t& count : differences_) ++count;
    return;
  }
  const bool one_convention =
      column_.type() == StoredType::kText || column_.type() == StoredType::kInteger || column_.type() == StoredType::kBoolean;
  const size_t conventions = one_convention ? 1 : kConventions;
  const bool settled = differences() == 0;
  for (size_t convention = 0; convention < conventions; ++convention) {
    if ((settled && differences_[convention] > 0) || Agrees(row, text, convention)) continue;
    if (differences_[convention]++ == 0) {
      examples_[convention] =
          absl::StrCat("row ", row + 1, ": the file says \"", Excerpt(text, 40), "\", the store \"", Stored(row), "\"");
    }
  }
  // With one convention the others must not win by having seen nothing.
  for (size_t convention = conventions; convention < kConventions; ++convention) {
    differences_[convention] = differences_[0];
    examples_[convention] = examples_[0];
  }
}

uint64_t ColumnCheck::differences() const { return *std::min_element(differences_.begin(), differences_.end()); }

std::string ColumnCheck::example() const {
  const auto best = std::min_element(differences_.begin(), differences_.end());
  if (*best > 0) return examples_[static_cast<size_t>(best - differences_.begin())];
  return lost_example_;
}

std::string ColumnCheck::Stored(uint64_t row) const {
  switch (column_.type()) {
    case StoredType::kReal: return absl::StrCat(column_.Real(row));
    case StoredType::kBoolean: return column_.Boolean(row) ? "true" : "false";
    case StoredType::kText: return Excerpt(column_.Text(row), 40);
    default: return absl::StrCat(column_.Integer(row));
  }
}

}  // namespace conclave::guest
