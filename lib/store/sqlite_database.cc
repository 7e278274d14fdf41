#include "lib/store/sqlite_database.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sqlite3.h"

namespace conclave {
namespace {

// What the system said to SQLite's last call, where SQLite failed because of the system; 0: unknown. To be asked at once:
// SQLite does not keep the reason of every failed write, but leaves errno as it was.
int SystemError(int code, sqlite3* database) {
  const int now = errno;
  const int kind = code & 0xff;
  if (database == nullptr || (kind != SQLITE_CANTOPEN && kind != SQLITE_IOERR)) return 0;
  const int kept = sqlite3_system_errno(database);
  const bool write = kind == SQLITE_IOERR && sqlite3_extended_errcode(database) == SQLITE_IOERR_WRITE;
  return kept == 0 && write ? now : kept;
}

absl::Status SqliteStatus(int code, const std::string& file, sqlite3* database) {
  const int error = SystemError(code, database);
  const std::string message = database == nullptr ? "out of memory" : sqlite3_errmsg(database);
  const std::string text = absl::StrCat(file, ": ", message, error == 0 ? "" : absl::StrCat(" (", std::strerror(error), ")"));
  if (error == EMFILE || error == ENFILE) {
    return absl::ResourceExhaustedError(absl::StrCat(text, ": raise the limit on open files (ulimit -n)"));
  }
  if (error == EFBIG) {
    return absl::ResourceExhaustedError(absl::StrCat(text, ": raise the limit on the size of files (ulimit -f)"));
  }
  if (error == ENOSPC || error == EDQUOT) {
    return absl::ResourceExhaustedError(absl::StrCat(text, ": free space on that disk, or name another store folder"));
  }
  switch (code & 0xff) {
    case SQLITE_FULL:
      return absl::ResourceExhaustedError(absl::StrCat(text, ": free space on that disk, or name another store folder"));
    case SQLITE_NOMEM: return absl::ResourceExhaustedError(text);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::UnavailableError(
          absl::StrCat(text, ": another process held the store for more than five seconds; try again"));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return absl::DataLossError(absl::StrCat(text, ": move the file away; a new one will be made"));
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
      return absl::PermissionDeniedError(absl::StrCat(text, ": make the folder writable, or name another store folder"));
    case SQLITE_IOERR:
      return absl::ResourceExhaustedError(absl::StrCat(text, ": the disk may be full or failing; name another store folder"));
    default: return absl::InternalError(text);
  }
}

}  // namespace

SqliteStatement::SqliteStatement(sqlite3_stmt* statement, std::string file) : statement_(statement), file_(std::move(file)) {}

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

SqliteStatement& SqliteStatement::Bind(int index, std::string_view text) {
  bind_error_ |= sqlite3_bind_text64(statement_.get(), index, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

SqliteStatement& SqliteStatement::Bind(int index, int64_t value) {
  bind_error_ |= sqlite3_bind_int64(statement_.get(), index, value);
  return *this;
}

SqliteStatement& SqliteStatement::BindBlob(int index, std::string_view bytes) {
  bind_error_ |=
      sqlite3_bind_blob64(statement_.get(), index, bytes.empty() ? "" : bytes.data(), bytes.size(), SQLITE_TRANSIENT);
  return *this;
}

absl::StatusOr<bool> SqliteStatement::Step() {
  if (bind_error_ != SQLITE_OK) return absl::InternalError(absl::StrCat(file_, ": a value could not be bound"));
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return SqliteStatus(code, file_, sqlite3_db_handle(statement_.get()));
}

absl::Status SqliteStatement::Run() {
  absl::StatusOr<bool> row = Step();
  return row.status();
}

int64_t SqliteStatement::Integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string SqliteStatement::Text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), static_cast<size_t>(size));
}

void SqliteDatabase::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

absl::StatusOr<SqliteDatabase> SqliteDatabase::Open(const std::string& file) {
  sqlite3* raw = nullptr;
  const int code =
      sqlite3_open_v2(file.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW, nullptr);
  SqliteDatabase database(raw, file);
  if (code != SQLITE_OK) return SqliteStatus(code, file, raw);
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, 5000);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  return database;
}

absl::Status SqliteDatabase::Execute(const std::string& sql) {
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return absl::OkStatus();
  return SqliteStatus(code, file_, database_.get());
}

absl::StatusOr<SqliteStatement> SqliteDatabase::Prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return SqliteStatus(code, file_, database_.get());
  return SqliteStatement(statement, file_);
}

absl::StatusOr<SqliteTransaction> SqliteTransaction::Begin(SqliteDatabase& database) {
  if (absl::Status status = database.Execute("BEGIN IMMEDIATE"); !status.ok()) return status;
  return SqliteTransaction(database);
}

SqliteTransaction::~SqliteTransaction() {
  // A failed rollback means that SQLite has rolled back already.
  if (database_ != nullptr) database_->Execute("ROLLBACK").IgnoreError();
}

absl::Status SqliteTransaction::Commit() {
  absl::Status status = database_->Execute("COMMIT");
  if (status.ok()) database_ = nullptr;
  return status;
}

}  // namespace conclave
