// The functions of the common dialect: what each takes and gives, and what to write instead of one that is not offered.
//
// Thread safety: pure functions over constant tables.
#ifndef CONCLAVE_LIB_GUEST_SQL_STATEMENT_FUNCTIONS_H_
#define CONCLAVE_LIB_GUEST_SQL_STATEMENT_FUNCTIONS_H_

#include <string>
#include <string_view>
#include <vector>

namespace conclave::guest {

enum class FunctionKind { kScalar, kAggregate, kWindow };

// One letter per argument; a last letter followed by '*' repeats. Arguments beyond `least` are optional.
//   n number   i integer   t text   b boolean   d date or timestamp   o anything that can be compared   a anything
//   p constant text that names a part of a date   c constant number   u like the other u (compared or mixed with them)
//   z constant text that names a time zone   w timestamp with time zone
// Result: I integer, R real, T text, B boolean, D date, S timestamp, 0 and 1 type of that argument, U the common type of the u
// arguments, P date or timestamp as date_trunc gives.
struct SqlFunction {
  std::string_view name;
  FunctionKind kind;
  std::string_view arguments;
  int least;
  char result;
  bool windows = false;      // an aggregate that may have OVER (...)
  bool needs_order = false;  // over a window, meaningless without ORDER BY
};

// nullptr when the dialect has no such function. `name` in lower case.
const SqlFunction* FindSqlFunction(std::string_view name);

// What to write instead of a function that another dialect has: "use strftime(x, '%Y')"; "" when nothing is known.
std::string_view InsteadOf(std::string_view name);

std::vector<std::string> SqlFunctionNames();

// The functions that a rewritten statement may call beside those of the dialect: casts and date arithmetic.
inline constexpr std::string_view kRewriteFunctions[] = {
    "cast_integer",     "cast_real",      "cast_text",          "cast_boolean_text", "cast_boolean",
    "cast_date",        "cast_timestamp", "cast_instant",       "try_cast_integer",  "try_cast_real",
    "try_cast_boolean", "try_cast_date",  "try_cast_timestamp", "date_shift",        "ordered_text"};

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_STATEMENT_FUNCTIONS_H_
