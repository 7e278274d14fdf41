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

// How a number lexeme is shown to people. With `decimals` decimals when that is not negative. Else in full where it has at most
// 15 significant digits, as cells of a file have (binary noise beyond aside): "71.2854475". A number with more digits is the
// result of a calculation and is rounded to 4 decimals or 6 significant digits, whichever shows more. Sizes from 10^21 and
// below 10^-6 have an exponent. A whole number that need not be exact, because rounding made it whole or it is beyond 2^53, is
// led by a sign for "about".
std::string DisplayNumber(const std::string& lexeme, int decimals = -1, bool is_cell = false);

// True for numbers that DisplayNumber rounds unless it is told how.
bool IsShownRounded(const std::string& lexeme);

// True when no value of the answer is calculated.
bool IsOfCells(const v1::Answer& answer);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANSWER_DISPLAY_H_
