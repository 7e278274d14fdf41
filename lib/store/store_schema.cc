#include "lib/store/store_schema.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"

namespace conclave {
namespace {

constexpr int64_t kSchemaVersion = 2;

constexpr char kSchema[] = R"sql(
CREATE TABLE jobs(
  scope TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, question TEXT NOT NULL, descriptor BLOB NOT NULL,
  started_us INTEGER NOT NULL, finished_us INTEGER, state TEXT NOT NULL, message TEXT NOT NULL DEFAULT '', insight BLOB,
  PRIMARY KEY(scope, id)) STRICT, WITHOUT ROWID;
CREATE TABLE programs(
  scope TEXT NOT NULL, job TEXT NOT NULL, id TEXT NOT NULL, persona TEXT NOT NULL, lineage TEXT NOT NULL,
  language INTEGER NOT NULL, code TEXT NOT NULL,
  PRIMARY KEY(scope, job, id, persona)) STRICT, WITHOUT ROWID;
CREATE TABLE executions(
  scope TEXT NOT NULL, job TEXT NOT NULL, number INTEGER NOT NULL, program TEXT NOT NULL, engine TEXT NOT NULL,
  end_reason INTEGER NOT NULL, wall_us INTEGER NOT NULL, record BLOB NOT NULL,
  PRIMARY KEY(scope, job, number)) STRICT, WITHOUT ROWID;
CREATE TABLE ballots(
  scope TEXT NOT NULL, job TEXT NOT NULL, persona TEXT NOT NULL, program TEXT NOT NULL, lineage TEXT NOT NULL,
  engine TEXT NOT NULL, counts INTEGER NOT NULL, why_not TEXT NOT NULL, answer BLOB NOT NULL,
  PRIMARY KEY(scope, job, persona)) STRICT, WITHOUT ROWID;
CREATE TABLE outcomes(
  scope TEXT NOT NULL, job TEXT NOT NULL, kind INTEGER NOT NULL, reasons TEXT NOT NULL, explanation TEXT NOT NULL,
  PRIMARY KEY(scope, job)) STRICT, WITHOUT ROWID;
CREATE TABLE datasets(
  scope TEXT NOT NULL, digest TEXT NOT NULL, options TEXT NOT NULL, reader TEXT NOT NULL, file TEXT NOT NULL UNIQUE,
  bytes INTEGER NOT NULL, stamp TEXT NOT NULL, used_us INTEGER NOT NULL, profile BLOB NOT NULL,
  PRIMARY KEY(scope, digest, options, reader)) STRICT, WITHOUT ROWID;
)sql";

absl::Status Migrate(SqliteDatabase& database) {
  absl::StatusOr<SqliteTransaction> transaction = SqliteTransaction::Begin(database);
  if (!transaction.ok()) return transaction.status();
  auto version = database.Prepare("PRAGMA user_version");
  if (!version.ok()) return version.status();
  if (absl::StatusOr<bool> row = version->Step(); !row.ok()) return row.status();
  const int64_t found = version->Integer(0);
  if (absl::StatusOr<bool> end = version->Step(); !end.ok()) return end.status();
  if (found == kSchemaVersion) return transaction->Commit();
  if (found != 0) {
    return absl::DataLossError(absl::StrCat("the store has schema version ", found, ", this library writes ", kSchemaVersion,
                                            ": another version made it; name another store folder, or move this one away"));
  }
  if (absl::Status status = database.Execute(kSchema); !status.ok()) return status;
  const std::string mark = absl::StrCat("PRAGMA user_version = ", kSchemaVersion);
  if (absl::Status status = database.Execute(mark); !status.ok()) return status;
  return transaction->Commit();
}

}  // namespace

absl::StatusOr<SqliteDatabase> OpenStoreDatabase(const std::string& file, bool durable) {
  absl::StatusOr<SqliteDatabase> database = SqliteDatabase::Open(file);
  if (!database.ok()) return database.status();
  if (!durable) {
    if (absl::Status status = database->Execute("PRAGMA synchronous = OFF"); !status.ok()) return status;
  }
  if (absl::Status status = Migrate(*database); !status.ok()) return status;
  return database;
}

}  // namespace conclave
