#include "lib/guest/sql/functions_number.h"

#include <cmath>

#include "lib/guest/sql/sqlite_support.h"

namespace conclave::guest {
namespace {

// An integer rounded to tens, hundreds and so on, half away from zero; null when that leaves 64 bits.
void RoundInteger(sqlite3_context* context, int64_t value, int64_t digits) {
  if (digits >= 0) return sqlite3_result_int64(context, value);
  if (digits < -18) return sqlite3_result_int64(context, 0);
  __int128 unit = 1;
  for (int64_t i = digits; i < 0; ++i) unit *= 10;
  const __int128 half = value < 0 ? -unit / 2 : unit / 2;
  const __int128 rounded = (value + half) / unit * unit;
  if (rounded > INT64_MAX || rounded < INT64_MIN) return GiveError(context, "round(): the result does not fit in 64 bits");
  sqlite3_result_int64(context, static_cast<int64_t>(rounded));
}

// Half away from zero on the scaled value, as DuckDB does it.
void RoundValue(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  const int64_t digits = count > 1 ? sqlite3_value_int64(values[1]) : 0;
  if (sqlite3_value_type(values[0]) == SQLITE_INTEGER) return RoundInteger(context, sqlite3_value_int64(values[0]), digits);
  const double value = sqlite3_value_double(values[0]);
  if (digits == 0) return sqlite3_result_double(context, std::round(value));
  const double scale = std::pow(10.0, static_cast<double>(digits < 0 ? -digits : digits));
  const double rounded = digits > 0 ? std::round(value * scale) / scale : std::round(value / scale) * scale;
  sqlite3_result_double(context, std::isfinite(rounded) ? rounded : digits > 0 ? value : 0.0);
}

void Modulo(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  if (sqlite3_value_type(values[0]) == SQLITE_INTEGER && sqlite3_value_type(values[1]) == SQLITE_INTEGER) {
    const int64_t divisor = sqlite3_value_int64(values[1]);
    if (divisor == 0) return;
    return sqlite3_result_int64(context, divisor == -1 ? 0 : sqlite3_value_int64(values[0]) % divisor);
  }
  const double divisor = sqlite3_value_double(values[1]);
  if (divisor != 0) sqlite3_result_double(context, std::fmod(sqlite3_value_double(values[0]), divisor));
}

// Tag 1: greatest; -1: least. Missing values are left out.
void Extreme(sqlite3_context* context, int count, sqlite3_value** values) {
  const int wanted = TagOf(context);
  sqlite3_value* best = nullptr;
  for (int i = 0; i < count; ++i) {
    if (IsNullValue(values[i])) continue;
    if (best == nullptr) {
      best = values[i];
      continue;
    }
    const bool text = sqlite3_value_type(values[i]) == SQLITE_TEXT && sqlite3_value_type(best) == SQLITE_TEXT;
    int order = 0;
    if (text) {
      order = TextOf(values[i]).compare(TextOf(best));
    } else if (sqlite3_value_type(values[i]) == SQLITE_INTEGER && sqlite3_value_type(best) == SQLITE_INTEGER) {
      const int64_t a = sqlite3_value_int64(values[i]);
      const int64_t b = sqlite3_value_int64(best);
      order = a < b ? -1 : a > b ? 1 : 0;
    } else {
      const double a = sqlite3_value_double(values[i]);
      const double b = sqlite3_value_double(best);
      order = a < b ? -1 : a > b ? 1 : 0;
    }
    if (order * wanted > 0) best = values[i];
  }
  if (best != nullptr) sqlite3_result_value(context, best);
}

}  // namespace

absl::Status AddNumberFunctions(sqlite3* db) {
  static constexpr ScalarEntry kEntries[] = {{"round", 1, RoundValue},
                                             {"round", 2, RoundValue},
                                             {"mod", 2, Modulo},
                                             {"greatest", -1, Extreme, 1},
                                             {"least", -1, Extreme, -1}};
  return AddScalars(db, kEntries);
}

}  // namespace conclave::guest
