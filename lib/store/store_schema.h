// The store's one database: its tables, and how an older or newer one is met.
//
// Thread safety: as SqliteDatabase.
#ifndef CONCLAVE_LIB_STORE_STORE_SCHEMA_H_
#define CONCLAVE_LIB_STORE_STORE_SCHEMA_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/store/sqlite_database.h"

namespace conclave {

// Opens or creates the database with all tables. DataLoss when a newer version of the library wrote it, or it is no database.
// Not `durable`: writes are not forced to the disk.
absl::StatusOr<SqliteDatabase> OpenStoreDatabase(const std::string& file, bool durable = true);

}  // namespace conclave

#endif  // CONCLAVE_LIB_STORE_STORE_SCHEMA_H_
