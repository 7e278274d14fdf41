// Calendar: dates and timestamps as text and as microseconds since 1970-01-01, in the proleptic Gregorian calendar.
// The text forms sort as the points in time they name, so that SQL may compare them as text: "2024-03-01",
// "2024-03-01 10:00:00", "2024-03-01 10:00:00.5", and for instants in UTC "2024-03-01 10:00:00+00". Years 0001 to 9999.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_GUEST_SQL_CALENDAR_H_
#define CONCLAVE_LIB_GUEST_SQL_CALENDAR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace conclave::guest {

inline constexpr int64_t kMicrosPerSecond = 1'000'000;
inline constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;
inline constexpr int64_t kFirstMicros = -719'162 * kMicrosPerDay;      // 0001-01-01
inline constexpr int64_t kLastMicros = 2'932'897 * kMicrosPerDay - 1;  // end of 9999-12-31

enum class PointKind { kDate, kTimestamp, kInstant };

struct Point {
  PointKind kind = PointKind::kDate;
  int64_t micros = 0;
};

struct CivilDay {
  int64_t year = 1970;
  int month = 1;
  int day = 1;
};

int64_t DaysFromCivil(const CivilDay& civil);
CivilDay CivilFromDays(int64_t days);
int DaysInMonth(int64_t year, int month);

// Days since 1970-01-01 of the day that holds `micros` (rounded down).
int64_t DayOf(int64_t micros);

// Reads "2024-03-01", "2024-3-1", "2024-03-01 10:00", "2024-03-01T10:00:00.25", each time with "Z" or an offset such as "+00",
// "+01:00" as an instant. nullopt for anything else, and for days that do not exist.
std::optional<Point> ParsePoint(std::string_view text);

// The text of a point inside the years 0001 to 9999.
std::string FormatPoint(const Point& point);

// `micros` moved by whole months, the day cut to the month's last.
int64_t AddMonths(int64_t micros, int64_t months);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_CALENDAR_H_
