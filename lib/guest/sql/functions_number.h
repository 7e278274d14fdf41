// Number functions where SQLite's own differ from DuckDB's: round, mod, greatest, least.
//
// Thread safety: a connection belongs to one thread.
// Ownership: the functions live as long as the connection.
#ifndef CONCLAVE_LIB_GUEST_SQL_FUNCTIONS_NUMBER_H_
#define CONCLAVE_LIB_GUEST_SQL_FUNCTIONS_NUMBER_H_

#include <sqlite3.h>

#include "absl/status/status.h"

namespace conclave::guest {

absl::Status AddNumberFunctions(sqlite3* db);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_FUNCTIONS_NUMBER_H_
