// DisplayAnswer: an answer as plain text for people. JSON keeps full precision; this shows what a person wants to read.
//
// Thread safety: pure function.
#ifndef CONCLAVE_LIB_ANSWER_DISPLAY_H_
#define CONCLAVE_LIB_ANSWER_DISPLAY_H_

#include <string>

#include "conclave/v1/answer.pb.h"

namespace conclave {

// One line for a scalar, one line an item for a list, aligned columns for maps and tables; at most 50 rows and what was cut
// as a count. Numbers have the decimals the answer claims, else the default of DisplayNumber. No control character of a cell
// gets through. No line break at the end.
std::string DisplayAnswer(const v1::Answer& answer);

// How a number lexeme is shown to people: with `decimals` decimals; when negative, exactly where 4 decimals are enough for that
// (binary noise beyond 15 significant digits aside), else rounded to 4 decimals or 6 significant digits, whichever shows more.
// Integers are shown whole, and sizes beyond 10^21 or below 10^-6 with an exponent.
std::string DisplayNumber(const std::string& lexeme, int decimals = -1);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANSWER_DISPLAY_H_
