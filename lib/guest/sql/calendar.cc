#include "lib/guest/sql/calendar.h"

#include <algorithm>

namespace conclave::guest {
namespace {

// Takes between `least` and `most` digits from the front of `text`.
std::optional<int> TakeDigits(std::string_view* text, size_t least, size_t most) {
  size_t count = 0;
  int value = 0;
  while (count < most && count < text->size() && (*text)[count] >= '0' && (*text)[count] <= '9') {
    value = value * 10 + ((*text)[count++] - '0');
  }
  if (count < least) return std::nullopt;
  text->remove_prefix(count);
  return value;
}

bool TakeChar(std::string_view* text, char c) {
  if (text->empty() || text->front() != c) return false;
  text->remove_prefix(1);
  return true;
}

// "Z", "+00", "-05:30" as microseconds east of UTC; nothing left over.
std::optional<int64_t> ReadOffset(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  const bool west = !text.empty() && text.front() == '-';
  if (!TakeChar(&text, '+') && !TakeChar(&text, '-')) return std::nullopt;
  const std::optional<int> hours = TakeDigits(&text, 2, 2);
  if (!hours || *hours > 15) return std::nullopt;
  int minutes = 0;
  if (!text.empty()) {
    TakeChar(&text, ':');
    const std::optional<int> read = TakeDigits(&text, 2, 2);
    if (!read || *read > 59 || !text.empty()) return std::nullopt;
    minutes = *read;
  }
  const int64_t seconds = (*hours * 60 + minutes) * 60;
  return (west ? -seconds : seconds) * kMicrosPerSecond;
}

// "10:00", "10:00:00", "10:00:00.25" from the front of `text`, as microseconds of the day.
std::optional<int64_t> TakeTime(std::string_view* text) {
  const std::optional<int> hour = TakeDigits(text, 1, 2);
  if (!hour || *hour > 23 || !TakeChar(text, ':')) return std::nullopt;
  const std::optional<int> minute = TakeDigits(text, 2, 2);
  if (!minute || *minute > 59) return std::nullopt;
  int64_t micros = (*hour * 60 + *minute) * 60 * kMicrosPerSecond;
  if (!TakeChar(text, ':')) return micros;
  const std::optional<int> second = TakeDigits(text, 2, 2);
  if (!second || *second > 59) return std::nullopt;
  micros += *second * kMicrosPerSecond;
  if (!TakeChar(text, '.')) return micros;
  int64_t unit = kMicrosPerSecond / 10;
  size_t digits = 0;
  for (; digits < text->size() && (*text)[digits] >= '0' && (*text)[digits] <= '9'; ++digits) {
    micros += ((*text)[digits] - '0') * unit;
    unit /= 10;
  }
  if (digits == 0 || digits > 9) return std::nullopt;
  text->remove_prefix(digits);
  return micros;
}

void AppendDigits(int64_t value, int width, std::string* out) {
  char buffer[20];
  for (int i = width - 1; i >= 0; --i) {
    buffer[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  out->append(buffer, static_cast<size_t>(width));
}

}  // namespace

int64_t DaysFromCivil(const CivilDay& civil) {
  // Years from March, in eras of 400 years, so that the leap day is the last of a year.
  const int64_t year = civil.month <= 2 ? civil.year - 1 : civil.year;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (civil.month + (civil.month > 2 ? -3 : 9)) + 2) / 5 + civil.day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719'468;
}

CivilDay CivilFromDays(int64_t days) {
  days += 719'468;
  const int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const int64_t day_of_era = days - era * 146'097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted = (5 * day_of_year + 2) / 153;
  CivilDay civil;
  civil.day = static_cast<int>(day_of_year - (153 * shifted + 2) / 5 + 1);
  civil.month = static_cast<int>(shifted < 10 ? shifted + 3 : shifted - 9);
  civil.year = year_of_era + era * 400 + (civil.month <= 2 ? 1 : 0);
  return civil;
}

int DaysInMonth(int64_t year, int month) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)) return 29;
  return kDays[month - 1];
}

int64_t DayOf(int64_t micros) {
  const int64_t days = micros / kMicrosPerDay;
  return micros % kMicrosPerDay < 0 ? days - 1 : days;
}

std::optional<Point> ParsePoint(std::string_view text) {
  const std::optional<int> year = TakeDigits(&text, 4, 4);
  if (!year || *year < 1 || !TakeChar(&text, '-')) return std::nullopt;
  const std::optional<int> month = TakeDigits(&text, 1, 2);
  if (!month || *month < 1 || *month > 12 || !TakeChar(&text, '-')) return std::nullopt;
  const std::optional<int> day = TakeDigits(&text, 1, 2);
  if (!day || *day < 1 || *day > DaysInMonth(*year, *month)) return std::nullopt;
  Point point;
  point.micros = DaysFromCivil({*year, *month, *day}) * kMicrosPerDay;
  if (text.empty()) return point;
  if (!TakeChar(&text, ' ') && !TakeChar(&text, 'T')) return std::nullopt;
  const std::optional<int64_t> time = TakeTime(&text);
  if (!time) return std::nullopt;
  point.micros += *time;
  point.kind = PointKind::kTimestamp;
  if (text.empty()) return point;
  const std::optional<int64_t> offset = ReadOffset(text);
  if (!offset) return std::nullopt;
  point.micros -= *offset;
  point.kind = PointKind::kInstant;
  if (point.micros < kFirstMicros || point.micros > kLastMicros) return std::nullopt;
  return point;
}

std::string FormatPoint(const Point& point) {
  const int64_t days = DayOf(point.micros);
  const CivilDay civil = CivilFromDays(days);
  std::string out;
  AppendDigits(civil.year, 4, &out);
  out.push_back('-');
  AppendDigits(civil.month, 2, &out);
  out.push_back('-');
  AppendDigits(civil.day, 2, &out);
  if (point.kind == PointKind::kDate) return out;
  const int64_t of_day = point.micros - days * kMicrosPerDay;
  const int64_t seconds = of_day / kMicrosPerSecond;
  out.push_back(' ');
  AppendDigits(seconds / 3600, 2, &out);
  out.push_back(':');
  AppendDigits(seconds / 60 % 60, 2, &out);
  out.push_back(':');
  AppendDigits(seconds % 60, 2, &out);
  if (const int64_t fraction = of_day % kMicrosPerSecond; fraction != 0) {
    out.push_back('.');
    AppendDigits(fraction, 6, &out);
    out.erase(out.find_last_not_of('0') + 1);
  }
  if (point.kind == PointKind::kInstant) out += "+00";
  return out;
}

int64_t AddMonths(int64_t micros, int64_t months) {
  const int64_t days = DayOf(micros);
  CivilDay civil = CivilFromDays(days);
  const int64_t total = civil.year * 12 + civil.month - 1 + months;
  civil.year = total >= 0 ? total / 12 : (total - 11) / 12;
  civil.month = static_cast<int>(total - civil.year * 12) + 1;
  civil.day = std::min(civil.day, DaysInMonth(civil.year, civil.month));
  return DaysFromCivil(civil) * kMicrosPerDay + (micros - days * kMicrosPerDay);
}

}  // namespace conclave::guest
