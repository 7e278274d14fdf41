// Formats and parses points by strftime patterns, independent of any locale, and counts ISO weeks.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_GUEST_SQL_DATE_FORMAT_H_
#define CONCLAVE_LIB_GUEST_SQL_DATE_FORMAT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/guest/sql/calendar.h"

namespace conclave::guest {

// 1 for Monday to 7 for Sunday.
int IsoWeekday(int64_t days);

struct WeekOfYear {
  int64_t year = 1970;
  int week = 1;
};
WeekOfYear IsoWeek(int64_t days);

// %Y %y %m %d %H %I %M %S %f %p %j %a %A %b %B %u %w %V %G %U %W %%, with "-" after the percent sign for no leading zeros.
// On an unknown pattern `error` says which.
std::string FormatWith(const Point& point, std::string_view pattern, std::string* error);

// Reads `text` by %Y %y %m %d %H %I %M %S %f %p %j %b %B %a %A %%; everything must be used up.
std::optional<Point> ParseWith(std::string_view text, std::string_view pattern, std::string* error);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_DATE_FORMAT_H_
