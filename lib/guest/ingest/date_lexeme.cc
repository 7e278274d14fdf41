#include "lib/guest/ingest/date_lexeme.h"

#include <array>
#include <cstddef>
#include <cstdio>

namespace conclave::guest {
namespace {

constexpr int64_t kMicrosPerDay = 86'400'000'000;

bool TakeNumber(std::string_view* text, size_t least, size_t most, int* value) {
  size_t length = 0;
  int total = 0;
  while (length < most && length < text->size() && static_cast<unsigned char>((*text)[length] - '0') <= 9) {
    total = total * 10 + ((*text)[length] - '0');
    ++length;
  }
  if (length < least) return false;
  text->remove_prefix(length);
  *value = total;
  return true;
}

bool TakeChar(std::string_view* text, char c) {
  if (text->empty() || text->front() != c) return false;
  text->remove_prefix(1);
  return true;
}

char Folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// A month by its English name or its first three letters, with a point or not; 0 when there is none.
int TakeMonth(std::string_view* text) {
  static constexpr std::array<std::string_view, 12> kMonths = {
      "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"};
  size_t letters = 0;
  while (letters < text->size() && Folded((*text)[letters]) >= 'a' && Folded((*text)[letters]) <= 'z') ++letters;
  const auto matches = [text](std::string_view word) {
    for (size_t i = 0; i < word.size(); ++i) {
      if (Folded((*text)[i]) != word[i]) return false;
    }
    return true;
  };
  for (int month = 0; month < 12; ++month) {
    const std::string_view name = kMonths[static_cast<size_t>(month)];
    const bool fits = letters == name.size() ? matches(name)
                                             : (letters == 3 && matches(name.substr(0, 3))) ||
                                                   (letters == 4 && month == 8 && matches(name.substr(0, 4)));
    if (!fits) continue;
    text->remove_prefix(letters);
    if (letters < name.size()) TakeChar(text, '.');
    return month + 1;
  }
  return 0;
}

bool Exists(int year, int month, int day) {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1) return false;
  static constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day <= kDays[static_cast<size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

// Days since 1970-01-01 in the proleptic Gregorian calendar.
int64_t DaysOf(int year, int month, int day) {
  const int64_t y = month <= 2 ? year - 1 : year;
  const int64_t era = (y >= 0 ? y : y - 399) / 400;
  const int64_t year_of_era = y - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

struct CivilDay {
  int64_t year;
  int month;
  int day;
};

CivilDay CivilOf(int64_t days) {
  days += 719468;
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const int64_t day_of_era = days - era * 146097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted = (5 * day_of_year + 2) / 153;
  const int day = static_cast<int>(day_of_year - (153 * shifted + 2) / 5 + 1);
  const int month = static_cast<int>(shifted < 10 ? shifted + 3 : shifted - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

// The three numbers of a date, in the order they stand, and the orders that make them a day of the calendar.
struct DayParts {
  uint16_t orders = 0;
  int first = 0;
  int second = 0;
  int third = 0;
};

void Allow(DayParts* parts, DateOrder order, int year, int month, int day) {
  if (Exists(year, month, day)) parts->orders |= order;
}

int TwoDigits(const char* at) { return (at[0] - '0') * 10 + (at[1] - '0'); }

// "2024-02-29", the usual case.
bool TakeIsoDay(std::string_view* text, DayParts* parts) {
  constexpr std::string_view kShape = "0000-00-00";
  if (text->size() < kShape.size()) return false;
  for (size_t i = 0; i < kShape.size(); ++i) {
    const char c = (*text)[i];
    if (kShape[i] == '-' ? c != '-' : (c < '0' || c > '9')) return false;
  }
  if (text->size() > kShape.size() && (*text)[kShape.size()] >= '0' && (*text)[kShape.size()] <= '9') return false;
  parts->first = TwoDigits(text->data()) * 100 + TwoDigits(text->data() + 2);
  parts->second = TwoDigits(text->data() + 5);
  parts->third = TwoDigits(text->data() + 8);
  Allow(parts, kIsoDash, parts->first, parts->second, parts->third);
  if (parts->orders == 0) return false;
  text->remove_prefix(kShape.size());
  return true;
}

bool TakeDay(std::string_view* text, DayParts* parts) {
  if (TakeIsoDay(text, parts)) return true;
  std::string_view rest = *text;
  int& a = parts->first;
  int& b = parts->second;
  int& c = parts->third;
  if (rest.empty()) return false;
  if (const int month = TakeMonth(&rest); month > 0) {
    a = month;
    if (!TakeChar(&rest, ' ') || !TakeNumber(&rest, 1, 2, &b)) return false;
    TakeChar(&rest, ',');
    if (!TakeChar(&rest, ' ') || !TakeNumber(&rest, 4, 4, &c)) return false;
    Allow(parts, kMonthName, c, a, b);
  } else {
    const size_t before = rest.size();
    if (!TakeNumber(&rest, 1, 4, &a)) return false;
    const size_t digits = before - rest.size();
    if (digits == 3 || rest.empty()) return false;
    const char mark = rest.front();
    rest.remove_prefix(1);
    if (digits == 4) {
      if (mark != '-' && mark != '/' && mark != '.') return false;
      if (!TakeNumber(&rest, 1, 2, &b) || !TakeChar(&rest, mark) || !TakeNumber(&rest, 1, 2, &c)) return false;
      Allow(parts, mark == '-' ? kIsoDash : mark == '/' ? kYearSlash : kYearPoint, a, b, c);
    } else if (mark == ' ' || (mark == '-' && !rest.empty() && static_cast<unsigned char>(rest.front() - '0') > 9)) {
      b = TakeMonth(&rest);
      if (b == 0 || !TakeChar(&rest, mark) || !TakeNumber(&rest, 4, 4, &c)) return false;
      Allow(parts, kDayMonthName, c, b, a);
    } else {
      if (mark != '-' && mark != '/' && mark != '.') return false;
      if (!TakeNumber(&rest, 1, 2, &b) || !TakeChar(&rest, mark) || !TakeNumber(&rest, 4, 4, &c)) return false;
      Allow(parts, mark == '-' ? kDayFirstDash : mark == '/' ? kDayFirstSlash : kDayFirstPoint, c, b, a);
      if (mark != '.') Allow(parts, mark == '-' ? kMonthFirstDash : kMonthFirstSlash, c, a, b);
    }
  }
  if (parts->orders == 0 || (!rest.empty() && static_cast<unsigned char>(rest.front() - '0') <= 9)) return false;
  *text = rest;
  return true;
}

struct ClockParts {
  int64_t micros = 0;
  bool present = false;
  bool zoned = false;
  bool finer = false;
  int offset_minutes = 0;
};

bool TakeOffset(std::string_view* rest, ClockParts* clock) {
  if (TakeChar(rest, 'Z') || TakeChar(rest, 'z')) return clock->zoned = true;
  if (rest->substr(0, 4) == " UTC" || rest->substr(0, 4) == " GMT") {
    rest->remove_prefix(4);
    return clock->zoned = true;
  }
  std::string_view ahead = *rest;
  TakeChar(&ahead, ' ');
  const bool west = !ahead.empty() && ahead.front() == '-';
  if (!TakeChar(&ahead, '+') && !TakeChar(&ahead, '-')) return true;
  int hours = 0;
  int minutes = 0;
  if (!TakeNumber(&ahead, 2, 2, &hours)) return false;
  const bool colon = TakeChar(&ahead, ':');
  if (!TakeNumber(&ahead, 2, 2, &minutes) && colon) return false;
  if (hours > 15 || minutes > 59) return false;
  clock->offset_minutes = (hours * 60 + minutes) * (west ? -1 : 1);
  *rest = ahead;
  return clock->zoned = true;
}

// The time of day behind a date, all of `rest`.
bool TakeClock(std::string_view rest, ClockParts* clock) {
  if (rest.empty()) return true;
  if (!TakeChar(&rest, 'T') && !TakeChar(&rest, 't')) {
    TakeChar(&rest, ',');
    if (!TakeChar(&rest, ' ')) return false;
  }
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (!TakeNumber(&rest, 1, 2, &hour) || !TakeChar(&rest, ':') || !TakeNumber(&rest, 2, 2, &minute)) return false;
  if (TakeChar(&rest, ':') && !TakeNumber(&rest, 2, 2, &second)) return false;
  int64_t fraction = 0;
  if (!rest.empty() && (rest.front() == '.' || rest.front() == ',')) {
    rest.remove_prefix(1);
    int64_t scale = 100'000;
    size_t digits = 0;
    for (; digits < rest.size() && static_cast<unsigned char>(rest[digits] - '0') <= 9; ++digits) {
      fraction += (rest[digits] - '0') * scale;
      if (scale == 0 && rest[digits] != '0') clock->finer = true;
      scale /= 10;
    }
    if (digits == 0 || digits > 18) return false;
    rest.remove_prefix(digits);
  }
  std::string_view half = rest;
  TakeChar(&half, ' ');
  if (half.size() >= 2 && Folded(half[1]) == 'm' && (Folded(half[0]) == 'a' || Folded(half[0]) == 'p')) {
    if (hour < 1 || hour > 12) return false;
    hour = hour % 12 + (Folded(half[0]) == 'p' ? 12 : 0);
    rest = half.substr(2);
  }
  if (hour > 23 || minute > 59 || second > 59 || !TakeOffset(&rest, clock) || !rest.empty()) return false;
  clock->micros = ((hour * 60 + minute) * 60 + second) * int64_t{1'000'000} + fraction;
  return clock->present = true;
}

bool TakeAll(std::string_view text, DayParts* day, ClockParts* clock) {
  if (text.size() < 8 || text.size() > 60) return false;
  return TakeDay(&text, day) && TakeClock(text, clock);
}

}  // namespace

bool ReadDate(std::string_view text, DateLexeme* date) {
  DayParts day;
  ClockParts clock;
  if (!TakeAll(text, &day, &clock)) return false;
  *date = {.orders = day.orders, .has_time = clock.present, .zoned = clock.zoned, .finer = clock.finer};
  return true;
}

std::optional<int64_t> DateValue(std::string_view text, DateOrder order) {
  DayParts parts;
  ClockParts clock;
  if (!TakeAll(text, &parts, &clock) || (parts.orders & order) == 0) return std::nullopt;
  int64_t days = 0;
  switch (order) {
    case kIsoDash:
    case kYearSlash:
    case kYearPoint: days = DaysOf(parts.first, parts.second, parts.third); break;
    case kDayFirstSlash:
    case kDayFirstDash:
    case kDayFirstPoint:
    case kDayMonthName: days = DaysOf(parts.third, parts.second, parts.first); break;
    case kMonthFirstSlash:
    case kMonthFirstDash:
    case kMonthName: days = DaysOf(parts.third, parts.first, parts.second); break;
  }
  return days * kMicrosPerDay + clock.micros - clock.offset_minutes * int64_t{60'000'000};
}

std::string DateText(int64_t micros) {
  const int64_t days = (micros >= 0 ? micros : micros - (kMicrosPerDay - 1)) / kMicrosPerDay;
  const CivilDay civil = CivilOf(days);
  char text[40];
  std::snprintf(text, sizeof text, "%04d-%02d-%02d", static_cast<int>(civil.year), civil.month, civil.day);
  return text;
}

std::string TimestampText(int64_t micros, bool zoned) {
  const int64_t days = (micros >= 0 ? micros : micros - (kMicrosPerDay - 1)) / kMicrosPerDay;
  const int64_t rest = micros - days * kMicrosPerDay;
  const int64_t seconds = rest / 1'000'000;
  char clock[48];
  std::snprintf(clock, sizeof clock, "T%02d:%02d:%02d", static_cast<int>(seconds / 3600), static_cast<int>(seconds / 60 % 60),
                static_cast<int>(seconds % 60));
  std::string text = DateText(micros) + clock;
  if (rest % 1'000'000 != 0) {
    std::snprintf(clock, sizeof clock, ".%06d", static_cast<int>(rest % 1'000'000));
    text += clock;
  }
  return zoned ? text + "Z" : text;
}

}  // namespace conclave::guest
