// Shape: what the answer to a plan will look like.
//
// Thread safety: pure function.
#ifndef CONCLAVE_LIB_PLAN_SHAPE_H_
#define CONCLAVE_LIB_PLAN_SHAPE_H_

#include "conclave/v1/answer.pb.h"
#include "lib/plan/plan.h"

namespace conclave {

v1::Expectation ShapeOf(const Plan& plan);

// True when every value of the answer is a cell of the table as it stands: extreme values, rows, distinct values.
bool HoldsCells(const Plan& plan);

}  // namespace conclave

#endif  // CONCLAVE_LIB_PLAN_SHAPE_H_
