// Describe: a plan in words, so that a reader can see whether the question was understood.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_PLAN_DESCRIBE_H_
#define CONCLAVE_LIB_PLAN_DESCRIBE_H_

#include <string>
#include <vector>

#include "lib/plan/plan.h"

namespace conclave {

// One English sentence that says everything the plan says.
std::string Describe(const Plan& plan);

// The defaults that the plan takes where a question leaves them open, one sentence each.
std::vector<std::string> Assumptions(const Plan& plan);

}  // namespace conclave

#endif  // CONCLAVE_LIB_PLAN_DESCRIBE_H_
