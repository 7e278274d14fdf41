// SQL writer: a plan as one SELECT statement in the common dialect of DuckDB and SQLite.
// Shares nothing with other writers below the plan.
//
// Thread safety: pure function.
#ifndef CONCLAVE_LIB_PLAN_SQL_WRITER_H_
#define CONCLAVE_LIB_PLAN_SQL_WRITER_H_

#include <string>

#include "lib/plan/plan.h"

namespace conclave {

// The plan must be complete: names that `ranking`, `order` and `output` use must be result columns.
std::string WriteSql(const Plan& plan);

}  // namespace conclave

#endif  // CONCLAVE_LIB_PLAN_SQL_WRITER_H_
