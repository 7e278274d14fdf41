// Aggregates of the common dialect, with DuckDB's names and definitions: exact sums, moments, quantiles, mode, text.
//
// Thread safety: a connection belongs to one thread.
// Ownership: the functions live as long as the connection.
#ifndef CONCLAVE_LIB_GUEST_SQL_FUNCTIONS_AGGREGATE_H_
#define CONCLAVE_LIB_GUEST_SQL_FUNCTIONS_AGGREGATE_H_

#include <sqlite3.h>

#include "absl/status/status.h"

namespace conclave::guest {

absl::Status AddAggregateFunctions(sqlite3* db);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_FUNCTIONS_AGGREGATE_H_
