// Contradiction: why the conditions of a plan leave nothing to answer about, so that a reading which says two things that
// cannot both hold is declined instead of being answered with 0 or nothing.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_PLAN_CONTRADICTION_H_
#define CONCLAVE_LIB_PLAN_CONTRADICTION_H_

#include <string>

#include "lib/plan/plan.h"

namespace conclave {

// The conditions that no row can meet together, or the figure that they leave without a value, as one sentence without a full
// stop; empty when nothing of that kind is certain from the plan alone. Looks at the conditions on each column (a missing and
// a present value, two values, bounds without anything between them, dates and parts of dates); what the data hold is not its
// concern.
std::string Contradiction(const Plan& plan);

}  // namespace conclave

#endif  // CONCLAVE_LIB_PLAN_CONTRADICTION_H_
