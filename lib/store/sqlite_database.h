// SqliteDatabase: one SQLite file with statements as values; errors become Status with the file's name.
//
// Thread safety: one thread at a time; the ledger guards it with a mutex.
// Ownership: a statement must not outlive its database.
#ifndef CONCLAVE_LIB_STORE_SQLITE_DATABASE_H_
#define CONCLAVE_LIB_STORE_SQLITE_DATABASE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

struct sqlite3;
struct sqlite3_stmt;

namespace conclave {

// A prepared statement. Parameters are bound from 1, columns read from 0, as in SQLite.
class SqliteStatement {
 public:
  SqliteStatement(sqlite3_stmt* statement, std::string file);

  SqliteStatement& Bind(int index, std::string_view text);
  SqliteStatement& Bind(int index, int64_t value);
  SqliteStatement& BindBlob(int index, std::string_view bytes);

  // True when a row is there, false at the end.
  absl::StatusOr<bool> Step();
  // Runs a statement that gives no rows.
  absl::Status Run();

  int64_t Integer(int column) const;
  std::string Text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::string file_;
  int bind_error_ = 0;
};

class SqliteDatabase {
 public:
  // Opens or creates the file. Waits up to five seconds for other processes' locks.
  static absl::StatusOr<SqliteDatabase> Open(const std::string& file);

  absl::Status Execute(const std::string& sql);
  absl::StatusOr<SqliteStatement> Prepare(const std::string& sql);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  SqliteDatabase(sqlite3* database, std::string file) : database_(database), file_(std::move(file)) {}
  std::unique_ptr<sqlite3, Close> database_;
  std::string file_;
};

// BEGIN IMMEDIATE on construction (through Begin), COMMIT by Commit, ROLLBACK by the destructor.
class SqliteTransaction {
 public:
  static absl::StatusOr<SqliteTransaction> Begin(SqliteDatabase& database);
  ~SqliteTransaction();
  SqliteTransaction(SqliteTransaction&& other) noexcept : database_(other.database_) { other.database_ = nullptr; }
  SqliteTransaction& operator=(SqliteTransaction&&) = delete;

  absl::Status Commit();

 private:
  explicit SqliteTransaction(SqliteDatabase& database) : database_(&database) {}
  SqliteDatabase* database_;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_STORE_SQLITE_DATABASE_H_
