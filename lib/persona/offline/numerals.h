// Numerals: the numbers of a question as the column they are compared with is written. "1.000" is a thousand to whoever writes
// decimals with a comma and one to whoever writes them with a point; the column tells which, or the question is declined.
//
// Thread safety: pure functions.
// Ownership: values.
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_NUMERALS_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_NUMERALS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conclave/v1/profile.pb.h"

namespace conclave::offline {

// The two readings of a numeral, each a lexeme with a decimal point and without marks between thousands. A reading is absent
// where its way of writing has no such number: "1.5" has no thousands.
struct Numeral {
  std::optional<std::string> point;  // "1,234.5" is 1234.5
  std::optional<std::string> comma;  // "1.234,5" is 1234.5
};

Numeral ReadNumeral(std::string_view text);

// Length of the numeral without a sign at the start of `text`, in whichever way of writing; 0 where none stands there.
size_t NumeralLength(std::string_view text);

struct NumeralFit {
  std::string number;      // the lexeme a program has
  std::string assumption;  // to be printed; empty where nothing was decided
  std::string problem;     // why it cannot be read; names both readings where there are two
  std::vector<std::string> suggestions;
};

// `text` as a number of `column`, or, without one, as a number of rows.
NumeralFit FitNumeral(const std::string& text, const v1::ColumnProfile* column, const v1::Profile& profile);

}  // namespace conclave::offline

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_NUMERALS_H_
