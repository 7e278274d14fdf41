// StrictDatabase: an in-memory SQLite connection on which only reading the given tables with the functions of the common
// dialect is possible. The second layer behind the check of statements and in front of the sandbox.
//
// Thread safety: belongs to one thread.
// Ownership: owns the connection; borrows the tables, which must outlive it.
#ifndef CONCLAVE_LIB_GUEST_SQL_STRICT_DATABASE_H_
#define CONCLAVE_LIB_GUEST_SQL_STRICT_DATABASE_H_

#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/guest/sql/column_table.h"

namespace conclave::guest {

class StrictDatabase {
 public:
  // Opens the connection for one statement and attaches the tables it may read. InvalidArgument naming a table that cannot be
  // offered.
  static absl::StatusOr<std::unique_ptr<StrictDatabase>> Open(const std::vector<std::unique_ptr<ColumnTable>>& tables,
                                                              std::string_view statement);
  ~StrictDatabase();
  StrictDatabase(const StrictDatabase&) = delete;
  StrictDatabase& operator=(const StrictDatabase&) = delete;

  sqlite3* get() const { return db_; }

 private:
  StrictDatabase() = default;
  absl::Status Harden();
  absl::Status AddFunctions();
  static int Authorize(void* self, int action, const char* first, const char* second, const char* database,
                       const char* trigger);

  sqlite3* db_ = nullptr;
  std::vector<std::string> tables_;
};

// "sqlite 3.40.1"
std::string SqliteEngineName();

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_STRICT_DATABASE_H_
