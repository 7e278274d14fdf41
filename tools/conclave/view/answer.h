// Answer view: a typed answer as text for people.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_TOOLS_CONCLAVE_VIEW_ANSWER_H_
#define CONCLAVE_TOOLS_CONCLAVE_VIEW_ANSWER_H_

#include <optional>
#include <string>

#include "conclave/v1/answer.pb.h"
#include "tools/conclave/surroundings.h"

namespace conclave::cli {

// One value on one line, foreign text in it made safe and cut. A number is rounded for reading to `decimals` when they are
// given, else to what a person takes in; --json has every digit.
std::string ShowValue(const v1::Value& value, std::optional<int> decimals, bool is_cell = false);

// The answer: one line for a scalar, a table (at most 100 rows, and it says how many were left out) for a list, map or table,
// and a sentence for the rest. Ends with a newline.
std::string RenderAnswer(const v1::Answer& answer, const View& view);

// True when RenderAnswer gives a table.
bool IsTabular(const v1::Answer& answer);

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_VIEW_ANSWER_H_
