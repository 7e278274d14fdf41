// Describe: a plan in words, so that a reader can see whether the question was understood.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_PLAN_DESCRIBE_H_
#define CONCLAVE_LIB_PLAN_DESCRIBE_H_

#include <string>
#include <vector>

#include "lib/plan/plan.h"

namespace conclave {

// One short sentence that says what the plan says, ready to be followed by a colon and the answer: "Mean of `fare` per `class`
// where `sex` is 'female'." The table is named on demand; people need it only where there are several.
std::string Describe(const Plan& plan, bool with_table = false);

// The conditions alone, as in that sentence: "`grade` is missing and `grade` is 'A'".
std::string DescribeConditions(const std::vector<Filter>& conditions);

// The defaults that the plan takes where a question leaves them open, one sentence each; one that several parts of the
// plan call for comes as often.
std::vector<std::string> Assumptions(const Plan& plan);

// Why an answer to the plan is empty or undefined, if it is, as the rest of a sentence: "no row has `region` 'Nord'". Empty
// when the plan cannot tell.
std::string WhyNone(const Plan& plan);

// Why a count or percentage that the plan asks for is 0, if it is. Empty for other figures, whose 0 is one like any other.
std::string WhyZero(const Plan& plan);

}  // namespace conclave

#endif  // CONCLAVE_LIB_PLAN_DESCRIBE_H_
