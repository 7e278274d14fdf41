// Date and timestamp functions of the common dialect, with DuckDB's names and definitions.
//
// Thread safety: a connection belongs to one thread.
// Ownership: the functions live as long as the connection.
#ifndef CONCLAVE_LIB_GUEST_SQL_FUNCTIONS_DATE_H_
#define CONCLAVE_LIB_GUEST_SQL_FUNCTIONS_DATE_H_

#include <sqlite3.h>

#include "absl/status/status.h"

namespace conclave::guest {

absl::Status AddDateFunctions(sqlite3* db);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_FUNCTIONS_DATE_H_
