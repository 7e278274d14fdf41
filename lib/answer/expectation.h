// ExpectationFromQuestion: what the words of a question fix about the shape of its answer.
//
// Thread safety: pure function.
#ifndef CONCLAVE_LIB_ANSWER_EXPECTATION_H_
#define CONCLAVE_LIB_ANSWER_EXPECTATION_H_

#include <string_view>

#include "conclave/v1/answer.pb.h"

namespace conclave {

// Rules over English words. Says nothing where it is unsure: a wrong expectation would turn right answers away, a missing one
// only leaves a difference of shape to be seen later.
v1::Expectation ExpectationFromQuestion(std::string_view question);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANSWER_EXPECTATION_H_
