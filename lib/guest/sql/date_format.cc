#include "lib/guest/sql/date_format.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/text.h"

namespace conclave::guest {
namespace {

constexpr std::string_view kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                        "July",    "August",   "September", "October", "November", "December"};
constexpr std::string_view kDays[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

// What a point is, taken apart once.
struct Fields {
  CivilDay civil;
  int64_t days = 0;
  int64_t second = 0;  // of the day
  int64_t micro = 0;
};

Fields Split(const Point& point) {
  Fields fields;
  fields.days = DayOf(point.micros);
  fields.civil = CivilFromDays(fields.days);
  const int64_t of_day = point.micros - fields.days * kMicrosPerDay;
  fields.second = of_day / kMicrosPerSecond;
  fields.micro = of_day % kMicrosPerSecond;
  return fields;
}

std::string Padded(int64_t value, size_t width) {
  std::string digits = absl::StrCat(value);
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

struct NumberField {
  int64_t value;
  size_t width;
};

// The numeric field for a letter; width 0 when it is none.
NumberField FieldOf(char letter, const Fields& f) {
  const int64_t day_of_year = f.days - DaysFromCivil({f.civil.year, 1, 1});
  switch (letter) {
    case 'Y': return {f.civil.year, 4};
    case 'y': return {f.civil.year % 100, 2};
    case 'm': return {f.civil.month, 2};
    case 'd': return {f.civil.day, 2};
    case 'H': return {f.second / 3600, 2};
    case 'I': return {(f.second / 3600 + 11) % 12 + 1, 2};
    case 'M': return {f.second / 60 % 60, 2};
    case 'S': return {f.second % 60, 2};
    case 'f': return {f.micro, 6};
    case 'j': return {day_of_year + 1, 3};
    case 'u': return {IsoWeekday(f.days), 1};
    case 'w': return {IsoWeekday(f.days) % 7, 1};
    case 'V': return {IsoWeek(f.days).week, 2};
    case 'G': return {IsoWeek(f.days).year, 4};
    case 'U': return {(day_of_year + 7 - IsoWeekday(f.days) % 7) / 7, 2};
    case 'W': return {(day_of_year + 7 - (IsoWeekday(f.days) - 1)) / 7, 2};
    default: return {0, 0};
  }
}

std::string NameFor(char letter, const Fields& f) {
  const std::string_view day = kDays[IsoWeekday(f.days) - 1];
  const std::string_view month = kMonths[f.civil.month - 1];
  switch (letter) {
    case 'a': return std::string(day.substr(0, 3));
    case 'A': return std::string(day);
    case 'b': return std::string(month.substr(0, 3));
    case 'B': return std::string(month);
    case 'p': return f.second < 43'200 ? "AM" : "PM";
    case '%': return "%";
    default: return "";
  }
}

// What strptime has read so far.
struct Reading {
  int64_t year = 1900;
  int64_t month = 1;
  int64_t day = 1;
  int64_t day_of_year = 0;
  int64_t hour = 0;
  int64_t minute = 0;
  int64_t second = 0;
  int64_t micro = 0;
  int half = -1;  // 0 AM, 1 PM
};

bool TakeNumber(std::string_view* text, size_t most, int64_t* value, size_t* taken = nullptr) {
  size_t count = 0;
  int64_t read = 0;
  while (count < most && count < text->size() && absl::ascii_isdigit(static_cast<unsigned char>((*text)[count]))) {
    read = read * 10 + ((*text)[count++] - '0');
  }
  if (count == 0) return false;
  text->remove_prefix(count);
  *value = read;
  if (taken != nullptr) *taken = count;
  return true;
}

// Takes a name of the list, whole or cut to three letters; its index, or -1.
template <size_t N>
int TakeName(std::string_view* text, const std::string_view (&names)[N], bool whole) {
  for (size_t i = 0; i < N; ++i) {
    const std::string_view name = whole ? names[i] : names[i].substr(0, 3);
    if (absl::AsciiStrToLower(std::string(text->substr(0, name.size()))) != absl::AsciiStrToLower(std::string(name))) continue;
    text->remove_prefix(name.size());
    return static_cast<int>(i);
  }
  return -1;
}

bool TakeField(char letter, std::string_view* text, Reading* r) {
  size_t digits = 0;
  int name = 0;
  switch (letter) {
    case 'Y': return TakeNumber(text, 4, &r->year);
    case 'y':
      if (!TakeNumber(text, 2, &r->year)) return false;
      r->year += r->year < 69 ? 2000 : 1900;
      return true;
    case 'm': return TakeNumber(text, 2, &r->month);
    case 'd': return TakeNumber(text, 2, &r->day);
    case 'j': return TakeNumber(text, 3, &r->day_of_year);
    case 'H':
    case 'I': return TakeNumber(text, 2, &r->hour);
    case 'M': return TakeNumber(text, 2, &r->minute);
    case 'S': return TakeNumber(text, 2, &r->second);
    case 'f':
      if (!TakeNumber(text, 6, &r->micro, &digits)) return false;
      for (; digits < 6; ++digits) r->micro *= 10;
      return true;
    case 'b':
    case 'B':
      name = TakeName(text, kMonths, letter == 'B');
      r->month = name + 1;
      return name >= 0;
    case 'a':
    case 'A': return TakeName(text, kDays, letter == 'A') >= 0;
    case 'p': {
      static constexpr std::string_view kHalves[] = {"AM", "PM"};
      r->half = TakeName(text, kHalves, true);
      return r->half >= 0;
    }
    case '%':
      if (text->empty() || text->front() != '%') return false;
      text->remove_prefix(1);
      return true;
    default: return false;
  }
}

std::optional<Point> Assemble(Reading r) {
  if (r.half >= 0) {
    if (r.hour < 1 || r.hour > 12) return std::nullopt;
    r.hour = r.hour % 12 + 12 * r.half;
  }
  if (r.year < 1 || r.year > 9999 || r.month < 1 || r.month > 12 || r.day < 1 || r.hour > 23 || r.minute > 59 ||
      r.second > 59) {
    return std::nullopt;
  }
  if (r.day > DaysInMonth(r.year, static_cast<int>(r.month)) || r.day_of_year > 366) return std::nullopt;
  int64_t days = DaysFromCivil({r.year, static_cast<int>(r.month), static_cast<int>(r.day)});
  if (r.day_of_year > 0) days = DaysFromCivil({r.year, 1, 1}) + r.day_of_year - 1;
  return Point{PointKind::kTimestamp,
               days * kMicrosPerDay + ((r.hour * 60 + r.minute) * 60 + r.second) * kMicrosPerSecond + r.micro};
}

}  // namespace

int IsoWeekday(int64_t days) {
  const int64_t since_monday = (days + 3) % 7;
  return static_cast<int>(since_monday < 0 ? since_monday + 7 : since_monday) + 1;
}

WeekOfYear IsoWeek(int64_t days) {
  // The week belongs to the year that holds its Thursday.
  const int64_t thursday = days - IsoWeekday(days) + 4;
  const int64_t year = CivilFromDays(thursday).year;
  return {year, static_cast<int>((thursday - DaysFromCivil({year, 1, 1})) / 7) + 1};
}

std::string FormatWith(const Point& point, std::string_view pattern, std::string* error) {
  const Fields fields = Split(point);
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      out.push_back(pattern[i]);
      continue;
    }
    const bool bare = i + 1 < pattern.size() && pattern[i + 1] == '-';
    if (bare) ++i;
    const char letter = ++i < pattern.size() ? pattern[i] : '\0';
    const NumberField number = FieldOf(letter, fields);
    const std::string name = bare ? "" : NameFor(letter, fields);
    if (number.width > 0) {
      out += bare ? absl::StrCat(number.value) : Padded(number.value, number.width);
    } else if (!name.empty()) {
      out += name;
    } else {
      *error = absl::StrCat("the pattern '", Excerpt(pattern, 40), "' has %", Excerpt(std::string_view(&letter, 1), 8),
                            ", which is not offered");
      return "";
    }
  }
  return out;
}

std::optional<Point> ParseWith(std::string_view text, std::string_view pattern, std::string* error) {
  Reading reading;
  *error = absl::StrCat("does not have the form '", Excerpt(pattern, 40), "'");
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '%') {
      if (i + 2 < pattern.size() && pattern[i + 1] == '-') ++i;
      if (++i >= pattern.size() || !TakeField(pattern[i], &text, &reading)) return std::nullopt;
    } else {
      if (text.empty() || text.front() != pattern[i]) return std::nullopt;
      text.remove_prefix(1);
    }
  }
  if (!text.empty()) return std::nullopt;
  std::optional<Point> point = Assemble(reading);
  if (!point) *error = "there is no such day or time";
  return point;
}

}  // namespace conclave::guest
