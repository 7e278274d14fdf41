#include "lib/guest/sql/functions_date.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/base/text.h"
#include "lib/guest/sql/calendar.h"
#include "lib/guest/sql/date_format.h"
#include "lib/guest/sql/sqlite_support.h"

namespace conclave::guest {
namespace {

enum class Part {
  kSecond,
  kMinute,
  kHour,
  kDay,
  kWeek,
  kMonth,
  kQuarter,
  kYear,
  kDecade,
  kCentury,
  kDow,
  kIsodow,
  kDoy,
  kIsoyear
};

struct PartName {
  std::string_view name;
  Part part;
};

constexpr PartName kParts[] = {
    {"second", Part::kSecond}, {"minute", Part::kMinute},   {"hour", Part::kHour},       {"day", Part::kDay},
    {"week", Part::kWeek},     {"month", Part::kMonth},     {"quarter", Part::kQuarter}, {"year", Part::kYear},
    {"decade", Part::kDecade}, {"century", Part::kCentury}, {"dow", Part::kDow},         {"dayofweek", Part::kDow},
    {"weekday", Part::kDow},   {"isodow", Part::kIsodow},   {"doy", Part::kDoy},         {"isoyear", Part::kIsoyear}};

std::optional<Part> FindPart(std::string_view name) {
  for (const PartName& one : kParts) {
    if (one.name == name) return one.part;
  }
  return std::nullopt;
}

// The point in `value`; an error is given for anything else.
std::optional<Point> NeedPoint(sqlite3_context* context, std::string_view function, sqlite3_value* value) {
  std::optional<Point> point = ParsePoint(TextOf(value));
  if (!point)
    GiveError(context, absl::StrCat(std::string(function), "(): '", Excerpt(TextOf(value), 40), "' is no date or timestamp"));
  return point;
}

std::optional<Part> NeedPart(sqlite3_context* context, std::string_view function, sqlite3_value* value) {
  std::optional<Part> part = FindPart(TextOf(value));
  if (!part) GiveError(context, absl::StrCat(std::string(function), "(): no part '", Excerpt(TextOf(value), 40), "'"));
  return part;
}

void GivePoint(sqlite3_context* context, std::string_view function, const Point& point) {
  if (point.micros < kFirstMicros || point.micros > kLastMicros) {
    return GiveError(context, absl::StrCat(std::string(function), "(): the result lies outside the years 0001 to 9999"));
  }
  GiveText(context, FormatPoint(point));
}

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

int64_t PartOf(Part part, int64_t micros) {
  const int64_t days = DayOf(micros);
  const int64_t second = (micros - days * kMicrosPerDay) / kMicrosPerSecond;
  const CivilDay civil = CivilFromDays(days);
  switch (part) {
    case Part::kSecond: return second % 60;
    case Part::kMinute: return second / 60 % 60;
    case Part::kHour: return second / 3600;
    case Part::kDay: return civil.day;
    case Part::kWeek: return IsoWeek(days).week;
    case Part::kMonth: return civil.month;
    case Part::kQuarter: return (civil.month + 2) / 3;
    case Part::kYear: return civil.year;
    case Part::kDecade: return civil.year / 10;
    case Part::kCentury: return (civil.year - 1) / 100 + 1;
    case Part::kDow: return IsoWeekday(days) % 7;
    case Part::kIsodow: return IsoWeekday(days);
    case Part::kDoy: return days - DaysFromCivil({civil.year, 1, 1}) + 1;
    case Part::kIsoyear: return IsoWeek(days).year;
  }
  return 0;
}

int64_t Truncated(Part part, int64_t micros) {
  const int64_t days = DayOf(micros);
  const CivilDay civil = CivilFromDays(days);
  auto start = [](int64_t year, int month) { return DaysFromCivil({year, month, 1}) * kMicrosPerDay; };
  switch (part) {
    case Part::kSecond: return FloorDivide(micros, kMicrosPerSecond) * kMicrosPerSecond;
    case Part::kMinute: return FloorDivide(micros, 60 * kMicrosPerSecond) * 60 * kMicrosPerSecond;
    case Part::kHour: return FloorDivide(micros, 3600 * kMicrosPerSecond) * 3600 * kMicrosPerSecond;
    case Part::kWeek: return (days - (IsoWeekday(days) - 1)) * kMicrosPerDay;
    case Part::kMonth: return start(civil.year, civil.month);
    case Part::kQuarter: return start(civil.year, (civil.month - 1) / 3 * 3 + 1);
    case Part::kYear: return start(civil.year, 1);
    case Part::kDecade: return start(civil.year / 10 * 10, 1);
    case Part::kCentury: return start((civil.year - 1) / 100 * 100 + 1, 1);
    default: return days * kMicrosPerDay;
  }
}

// A number that grows by one at each boundary of `part`, so that differences count boundaries.
int64_t BoundaryOf(Part part, int64_t micros) {
  const int64_t days = DayOf(micros);
  const CivilDay civil = CivilFromDays(days);
  switch (part) {
    case Part::kSecond: return FloorDivide(micros, kMicrosPerSecond);
    case Part::kMinute: return FloorDivide(micros, 60 * kMicrosPerSecond);
    case Part::kHour: return FloorDivide(micros, 3600 * kMicrosPerSecond);
    case Part::kWeek: return FloorDivide(days + 3, 7);  // 1970-01-01 was a Thursday
    case Part::kMonth: return civil.year * 12 + civil.month - 1;
    case Part::kQuarter: return civil.year * 4 + (civil.month - 1) / 3;
    case Part::kYear: return civil.year;
    case Part::kDecade: return civil.year / 10;
    case Part::kCentury: return (civil.year - 1) / 100;
    default: return days;
  }
}

void DatePart(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    const std::optional<Part> part = NeedPart(context, "date_part", values[0]);
    if (!part) return;
    const std::optional<Point> point = NeedPoint(context, "date_part", values[1]);
    if (point) sqlite3_result_int64(context, PartOf(*part, point->micros));
  });
}

// year(x), month(x) and so on; the tag is the Part.
void NamedPart(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    const std::optional<Point> point = NeedPoint(context, "date part", values[0]);
    if (point) sqlite3_result_int64(context, PartOf(static_cast<Part>(TagOf(context)), point->micros));
  });
}

void DateTrunc(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    const std::optional<Part> part = NeedPart(context, "date_trunc", values[0]);
    if (!part) return;
    std::optional<Point> point = NeedPoint(context, "date_trunc", values[1]);
    if (!point) return;
    point->micros = Truncated(*part, point->micros);
    if (point->kind == PointKind::kDate && *part <= Part::kHour) point->kind = PointKind::kTimestamp;
    GivePoint(context, "date_trunc", *point);
  });
}

void DateDiff(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    const std::optional<Part> part = NeedPart(context, "date_diff", values[0]);
    if (!part) return;
    const std::optional<Point> from = NeedPoint(context, "date_diff", values[1]);
    if (!from) return;
    const std::optional<Point> to = NeedPoint(context, "date_diff", values[2]);
    if (to) sqlite3_result_int64(context, BoundaryOf(*part, to->micros) - BoundaryOf(*part, from->micros));
  });
}

// x + INTERVAL: a timestamp, as in DuckDB, also from a date.
void DateShift(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    std::optional<Point> point = NeedPoint(context, "+ INTERVAL", values[0]);
    if (!point) return;
    const std::optional<Part> part = NeedPart(context, "+ INTERVAL", values[1]);
    if (!part) return;
    const int64_t units = sqlite3_value_int64(values[2]);
    if (units < -1'000'000'000 || units > 1'000'000'000) return GiveError(context, "+ INTERVAL: the count is too large");
    const int64_t months = *part == Part::kMonth ? 1 : *part == Part::kQuarter ? 3 : *part == Part::kYear ? 12 : 0;
    const int64_t seconds = *part == Part::kSecond   ? 1
                            : *part == Part::kMinute ? 60
                            : *part == Part::kHour   ? 3600
                            : *part == Part::kDay    ? 86'400
                                                     : 7 * 86'400;
    // Ten thousand years each way is more than any result may be away.
    if (units * (months != 0 ? months * 2'592'000 : seconds) / 86'400 > 3'660'000 ||
        units * (months != 0 ? months * 2'592'000 : seconds) / 86'400 < -3'660'000) {
      return GiveError(context, "+ INTERVAL: the result lies outside the years 0001 to 9999");
    }
    point->micros = months != 0 ? AddMonths(point->micros, units * months) : point->micros + units * seconds * kMicrosPerSecond;
    if (point->kind == PointKind::kDate) point->kind = PointKind::kTimestamp;
    GivePoint(context, "+ INTERVAL", *point);
  });
}

void LastDay(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    const std::optional<Point> point = NeedPoint(context, "last_day", values[0]);
    if (!point) return;
    CivilDay civil = CivilFromDays(DayOf(point->micros));
    civil.day = DaysInMonth(civil.year, civil.month);
    GivePoint(context, "last_day", {PointKind::kDate, DaysFromCivil(civil) * kMicrosPerDay});
  });
}

void MakeDate(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    const int64_t year = sqlite3_value_int64(values[0]);
    const int64_t month = sqlite3_value_int64(values[1]);
    const int64_t day = sqlite3_value_int64(values[2]);
    const bool exists =
        year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= DaysInMonth(year, static_cast<int>(month));
    if (!exists) return GiveError(context, absl::StrCat("make_date(): there is no day ", year, "-", month, "-", day));
    GivePoint(context, "make_date",
              {PointKind::kDate, DaysFromCivil({year, static_cast<int>(month), static_cast<int>(day)}) * kMicrosPerDay});
  });
}

// Names of the IANA database only: no paths, and no zone of the machine.
bool IsZoneName(std::string_view name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '+' || c == '-' || c == '/';
  });
  return plain && !name.empty() && absl::ascii_isalpha(static_cast<unsigned char>(name[0])) && name != "localtime";
}

// What clocks in the zone show at an instant: a timestamp without a zone, as in DuckDB.
void Timezone(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    const std::string name(TextOf(values[0]));
    absl::TimeZone zone;
    if (!IsZoneName(name) || !absl::LoadTimeZone(name, &zone)) {
      return GiveError(context, absl::StrCat("timezone(): no time zone '", Excerpt(name, 40), "'"));
    }
    std::optional<Point> point = NeedPoint(context, "timezone", values[1]);
    if (!point) return;
    point->micros += zone.At(absl::FromUnixMicros(point->micros)).offset * kMicrosPerSecond;
    point->kind = PointKind::kTimestamp;
    GivePoint(context, "timezone", *point);
  });
}

// The format may come first or second, as in DuckDB.
void Strftime(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    const bool format_first = !ParsePoint(TextOf(values[0])) && ParsePoint(TextOf(values[1]));
    const std::optional<Point> point = NeedPoint(context, "strftime", values[format_first ? 1 : 0]);
    if (!point) return;
    std::string error;
    const std::string text = FormatWith(*point, TextOf(values[format_first ? 0 : 1]), &error);
    if (!error.empty()) return GiveError(context, absl::StrCat("strftime(): ", error));
    GiveText(context, text);
  });
}

void Strptime(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    std::string error;
    const std::optional<Point> point = ParseWith(TextOf(values[0]), TextOf(values[1]), &error);
    if (!point) return GiveError(context, absl::StrCat("strptime(): '", Excerpt(TextOf(values[0]), 40), "': ", error));
    GivePoint(context, "strptime", *point);
  });
}

// Tag 0: the day's name; 1: the month's.
void NameOf(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    const std::optional<Point> point = NeedPoint(context, "dayname", values[0]);
    if (!point) return;
    std::string error;
    GiveText(context, FormatWith(*point, TagOf(context) == 0 ? "%A" : "%B", &error));
  });
}

// CAST AS DATE, TIMESTAMP, TIMESTAMPTZ; the tag is the PointKind, plus 10 when what cannot be read becomes NULL.
void CastPoint(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  Guarded(context, [&] {
    const bool attempt = TagOf(context) >= 10;
    std::optional<Point> point = attempt ? ParsePoint(TextOf(values[0])) : NeedPoint(context, "CAST", values[0]);
    if (!point) return;
    point->kind = static_cast<PointKind>(TagOf(context) % 10);
    if (point->kind == PointKind::kDate) point->micros = DayOf(point->micros) * kMicrosPerDay;
    GivePoint(context, "CAST", *point);
  });
}

constexpr int Tag(Part part) { return static_cast<int>(part); }
constexpr int Tag(PointKind kind) { return static_cast<int>(kind); }

}  // namespace

absl::Status AddDateFunctions(sqlite3* db) {
  static constexpr ScalarEntry kEntries[] = {
      {"date_part", 2, DatePart},
      {"datepart", 2, DatePart},
      {"date_trunc", 2, DateTrunc},
      {"date_diff", 3, DateDiff},
      {"datediff", 3, DateDiff},
      {"date_shift", 3, DateShift},
      {"last_day", 1, LastDay},
      {"make_date", 3, MakeDate},
      {"timezone", 2, Timezone},
      {"strftime", 2, Strftime},
      {"strptime", 2, Strptime},
      {"dayname", 1, NameOf, 0},
      {"monthname", 1, NameOf, 1},
      {"year", 1, NamedPart, Tag(Part::kYear)},
      {"quarter", 1, NamedPart, Tag(Part::kQuarter)},
      {"month", 1, NamedPart, Tag(Part::kMonth)},
      {"week", 1, NamedPart, Tag(Part::kWeek)},
      {"weekofyear", 1, NamedPart, Tag(Part::kWeek)},
      {"isoyear", 1, NamedPart, Tag(Part::kIsoyear)},
      {"day", 1, NamedPart, Tag(Part::kDay)},
      {"dayofmonth", 1, NamedPart, Tag(Part::kDay)},
      {"dayofweek", 1, NamedPart, Tag(Part::kDow)},
      {"weekday", 1, NamedPart, Tag(Part::kDow)},
      {"isodow", 1, NamedPart, Tag(Part::kIsodow)},
      {"dayofyear", 1, NamedPart, Tag(Part::kDoy)},
      {"hour", 1, NamedPart, Tag(Part::kHour)},
      {"minute", 1, NamedPart, Tag(Part::kMinute)},
      {"second", 1, NamedPart, Tag(Part::kSecond)},
      {"cast_date", 1, CastPoint, Tag(PointKind::kDate)},
      {"cast_timestamp", 1, CastPoint, Tag(PointKind::kTimestamp)},
      {"cast_instant", 1, CastPoint, Tag(PointKind::kInstant)},
      {"try_cast_date", 1, CastPoint, Tag(PointKind::kDate) + 10},
      {"try_cast_timestamp", 1, CastPoint, Tag(PointKind::kTimestamp) + 10},
  };
  return AddScalars(db, kEntries);
}

}  // namespace conclave::guest
