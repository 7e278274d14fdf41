// Text functions of the common dialect with DuckDB's names, characters being code points, and casts that refuse what does not
// fit.
//
// Thread safety: a connection belongs to one thread.
// Ownership: the functions live as long as the connection.
#ifndef CONCLAVE_LIB_GUEST_SQL_FUNCTIONS_TEXT_H_
#define CONCLAVE_LIB_GUEST_SQL_FUNCTIONS_TEXT_H_

#include <sqlite3.h>

#include "absl/status/status.h"

namespace conclave::guest {

absl::Status AddTextFunctions(sqlite3* db);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_FUNCTIONS_TEXT_H_
