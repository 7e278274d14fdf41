// pandas writer: a plan as a Python program that loads the columns it needs and assigns `result` and `result_meta`.
// Shares nothing with other writers below the plan, and never goes through SQL.
//
// Thread safety: pure function.
#ifndef CONCLAVE_LIB_PLAN_PANDAS_WRITER_H_
#define CONCLAVE_LIB_PLAN_PANDAS_WRITER_H_

#include <string>

#include "lib/plan/plan.h"

namespace conclave {

// The plan must be complete: names that `ranking`, `order` and `output` use must be result columns.
std::string WritePandas(const Plan& plan);

}  // namespace conclave

#endif  // CONCLAVE_LIB_PLAN_PANDAS_WRITER_H_
