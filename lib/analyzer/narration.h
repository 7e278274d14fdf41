// Narration: the sentence that tells an answer, built from the agreed value. A number that is neither in the answer nor in the
// question's reading cannot appear, since nothing else is put in.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_ANALYZER_NARRATION_H_
#define CONCLAVE_LIB_ANALYZER_NARRATION_H_

#include <string>
#include <string_view>

#include "conclave/v1/answer.pb.h"
#include "conclave/v1/execution.pb.h"

namespace conclave {

// "Mean of fare over all rows: 32.20." `reading` is the question as understood; empty gives "The answer is 32.20."
// `when_none` and `when_zero` are what a program says of a result that is empty or undefined, or 0; each may be empty.
std::string Narrate(std::string_view reading, const v1::Answer& answer, std::string_view when_none = "",
                    std::string_view when_zero = "");

// The reading to tell of a program: its own, unless a language model wrote it and states a number that the question does not
// have, for that could be taken for a result; then the question as it was asked.
std::string ReadingToTell(const v1::Program& program, std::string_view question);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANALYZER_NARRATION_H_
