// Dates and timestamps as people write them. A cell may fit several orders of day, month and year; a column has one.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_GUEST_INGEST_DATE_LEXEME_H_
#define CONCLAVE_LIB_GUEST_INGEST_DATE_LEXEME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace conclave::guest {

// Order and marks. Those with kDayFirst and kMonthFirst of the same mark compete.
enum DateOrder : uint16_t {
  kIsoDash = 1,           // 2024-02-29
  kYearSlash = 2,         // 2024/02/29
  kYearPoint = 4,         // 2024.02.29
  kDayFirstSlash = 8,     // 29/02/2024
  kMonthFirstSlash = 16,  // 02/29/2024
  kDayFirstDash = 32,     // 29-02-2024
  kMonthFirstDash = 64,   // 02-29-2024
  kDayFirstPoint = 128,   // 29.02.2024
  kMonthName = 256,       // Feb 29, 2024
  kDayMonthName = 512,    // 29 Feb 2024, 29-Feb-2024
};

struct DateLexeme {
  uint16_t orders = 0;
  bool has_time = false;
  bool zoned = false;
  bool finer = false;  // digits beyond microseconds, which are dropped
};

// True when `text` is a date or timestamp that exists in the calendar in at least one order. Years have four digits.
bool ReadDate(std::string_view text, DateLexeme* date);

// Microseconds since 1970-01-01 under `order`; in UTC when the text names an offset.
std::optional<int64_t> DateValue(std::string_view text, DateOrder order);

// "2024-02-29", "2024-02-29T13:45:00", "...00.250000", with "Z" when `zoned`.
std::string DateText(int64_t micros);
std::string TimestampText(int64_t micros, bool zoned);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_DATE_LEXEME_H_
