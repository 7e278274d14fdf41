// The virtual table module through which SQLite reads a ColumnTable: one module per table, named like it, read-only.
//
// Thread safety: belongs to the thread of its connection.
// Ownership: borrows the table.
#ifndef CONCLAVE_LIB_GUEST_SQL_COLUMN_MODULE_H_
#define CONCLAVE_LIB_GUEST_SQL_COLUMN_MODULE_H_

#include <sqlite3.h>

#include <string>

#include "absl/status/status.h"

namespace conclave::guest {

class ColumnTable;

// `declaration` is the CREATE TABLE statement that gives SQLite names and types of the columns.
absl::Status AddColumnModule(sqlite3* db, ColumnTable* table, std::string declaration);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_COLUMN_MODULE_H_
