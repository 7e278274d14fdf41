// Dates as people and programs write them, read only where there is one reading.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_ANSWER_DATE_READING_H_
#define CONCLAVE_LIB_ANSWER_DATE_READING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace conclave {

struct DateReading {
  enum class Granularity { kYear, kQuarter, kMonth, kWeek, kDay, kTime, kInstant };
  Granularity granularity = Granularity::kDay;
  int year = 0;
  int part = 0;  // quarter, month or ISO week
  int day = 0;
  int64_t nanoseconds = 0;  // of the day; with kInstant in UTC
};

// Reads ISO forms, "March 1, 2024", "1 March 2024", "March 2024", "Q1 2024", and day/month/year or month/day/year with '/',
// '.' or '-' where one part above 12 or `day_first` decides the order. Absent for everything else, ambiguous forms included.
// A time of midnight without a zone is the day itself.
std::optional<DateReading> ReadDate(std::string_view text, std::optional<bool> day_first);

DateReading DateFromUnixSeconds(int64_t seconds);

// Equal dates have equal text. `frequency` ("D", "W", "M", "Q", "Y" or empty) is that of the series the date labels: the first
// and the last day of a period then stand for the period.
std::string CanonicalDate(const DateReading& date, std::string_view frequency);

// 0 for Monday to 6 for Sunday from a day's English name or abbreviation; absent for other words.
std::optional<int> ReadWeekday(std::string_view text);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANSWER_DATE_READING_H_
