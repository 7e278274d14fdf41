#include "lib/store/ledger.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/descriptor.h"
#include "lib/base/text.h"
#include "lib/store/store_schema.h"

namespace conclave {
namespace {

absl::StatusOr<std::string> RandomId() {
  uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) return ErrnoStatus(errno, "getrandom");
  return absl::StrFormat("%016x", number);
}

absl::Status RecordProgram(SqliteDatabase& database, const std::string& scope, const std::string& job,
                           const v1::Program& program) {
  auto insert = database.Prepare("INSERT OR REPLACE INTO programs VALUES(?, ?, ?, ?, ?, ?, ?)");
  if (!insert.ok()) return insert.status();
  return insert->Bind(1, scope)
      .Bind(2, job)
      .Bind(3, program.id())
      .Bind(4, program.persona())
      .Bind(5, program.lineage())
      .Bind(6, int64_t{program.language()})
      .Bind(7, program.code())
      .Run();
}

absl::Status RecordExecution(SqliteDatabase& database, const std::string& scope, const std::string& job, int64_t number,
                             const v1::Execution& execution) {
  auto insert = database.Prepare("INSERT INTO executions VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
  if (!insert.ok()) return insert.status();
  return insert->Bind(1, scope)
      .Bind(2, job)
      .Bind(3, number)
      .Bind(4, execution.program_id())
      .Bind(5, execution.engine())
      .Bind(6, int64_t{execution.end_reason()})
      .Bind(7, execution.usage().wall_us())
      .BindBlob(8, execution.SerializeAsString())
      .Run();
}

absl::Status RecordBallot(SqliteDatabase& database, const std::string& scope, const std::string& job,
                          const v1::Ballot& ballot) {
  auto insert = database.Prepare("INSERT INTO ballots VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (!insert.ok()) return insert.status();
  return insert->Bind(1, scope)
      .Bind(2, job)
      .Bind(3, ballot.persona())
      .Bind(4, ballot.program_id())
      .Bind(5, ballot.lineage())
      .Bind(6, ballot.engine())
      .Bind(7, int64_t{ballot.counts()})
      .Bind(8, ballot.why_not())
      .BindBlob(9, ballot.answer().SerializeAsString())
      .Run();
}

absl::Status RecordOutcome(SqliteDatabase& database, const std::string& scope, const std::string& job,
                           const v1::Outcome& outcome) {
  auto insert = database.Prepare("INSERT INTO outcomes VALUES(?, ?, ?, ?, ?)");
  if (!insert.ok()) return insert.status();
  return insert->Bind(1, scope)
      .Bind(2, job)
      .Bind(3, int64_t{outcome.kind()})
      .Bind(4, absl::StrJoin(outcome.reasons(), " "))
      .Bind(5, outcome.explanation())
      .Run();
}

absl::Status CloseJob(SqliteDatabase& database, const std::string& scope, const std::string& id, std::string_view state,
                      std::string_view message, std::string_view insight, absl::Time now) {
  auto update = database.Prepare(
      "UPDATE jobs SET finished_us = ?3, state = ?4, message = ?5, insight = ?6 "
      "WHERE scope = ?1 AND id = ?2 AND finished_us IS NULL RETURNING id");
  if (!update.ok()) return update.status();
  absl::StatusOr<bool> found = update->Bind(1, scope)
                                   .Bind(2, id)
                                   .Bind(3, absl::ToUnixMicros(now))
                                   .Bind(4, state)
                                   .Bind(5, message)
                                   .BindBlob(6, insight)
                                   .Step();
  if (!found.ok()) return found.status();
  if (!*found) return absl::NotFoundError(absl::StrCat("job ", Excerpt(id, 40), " is not open in this ledger"));
  return update->Step().status();
}

// A scope is named only where somebody chose one.
std::string InScope(const std::string& scope) {
  return scope == "default" ? "" : absl::StrCat(", in scope \"", Excerpt(scope, 40), "\"");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Ledger>> Ledger::Open(const std::string& file, bool durable) {
  absl::StatusOr<SqliteDatabase> database = OpenStoreDatabase(file, durable);
  if (!database.ok()) return database.status();
  return std::unique_ptr<Ledger>(new Ledger(*std::move(database)));
}

absl::StatusOr<std::string> Ledger::Begin(const std::string& scope, const v1::AnalysisJob& job, absl::Time now) {
  return Begin(scope, "question", job.question(), job.SerializeAsString(), now);
}

absl::StatusOr<std::string> Ledger::Begin(const std::string& scope, const v1::ExecutionJob& job, absl::Time now) {
  return Begin(scope, "program", "", job.SerializeAsString(), now);
}

absl::StatusOr<std::string> Ledger::Begin(const std::string& scope, std::string_view kind, std::string_view question,
                                          std::string_view descriptor, absl::Time now) {
  absl::StatusOr<std::string> id = RandomId();
  if (!id.ok()) return id.status();
  std::lock_guard<std::mutex> lock(mutex_);
  auto insert = database_.Prepare(
      "INSERT INTO jobs(scope, id, kind, question, descriptor, started_us, state) VALUES(?, ?, ?, ?, ?, ?, 'running')");
  if (!insert.ok()) return insert.status();
  absl::Status status = insert->Bind(1, scope)
                            .Bind(2, *id)
                            .Bind(3, kind)
                            .Bind(4, question)
                            .BindBlob(5, descriptor)
                            .Bind(6, absl::ToUnixMicros(now))
                            .Run();
  if (!status.ok()) return status;
  return id;
}

absl::Status Ledger::Finish(const std::string& scope, const v1::Insight& insight, absl::Time now) {
  std::lock_guard<std::mutex> lock(mutex_);
  absl::StatusOr<SqliteTransaction> transaction = SqliteTransaction::Begin(database_);
  if (!transaction.ok()) return transaction.status();
  const std::string& id = insight.id();
  for (const v1::Program& program : insight.programs()) {
    if (absl::Status status = RecordProgram(database_, scope, id, program); !status.ok()) return status;
  }
  int64_t number = 0;
  for (const v1::Execution& execution : insight.executions()) {
    if (absl::Status status = RecordExecution(database_, scope, id, ++number, execution); !status.ok()) return status;
  }
  for (const v1::Ballot& ballot : insight.ballots()) {
    if (absl::Status status = RecordBallot(database_, scope, id, ballot); !status.ok()) return status;
  }
  if (absl::Status status = RecordOutcome(database_, scope, id, insight.outcome()); !status.ok()) return status;
  const std::string record = insight.SerializeAsString();
  if (absl::Status status = CloseJob(database_, scope, id, "finished", "", record, now); !status.ok()) return status;
  return transaction->Commit();
}

absl::Status Ledger::Finish(const std::string& scope, const std::string& id, const v1::Program& program,
                            const v1::Execution& execution, absl::Time now) {
  std::lock_guard<std::mutex> lock(mutex_);
  absl::StatusOr<SqliteTransaction> transaction = SqliteTransaction::Begin(database_);
  if (!transaction.ok()) return transaction.status();
  if (absl::Status status = RecordProgram(database_, scope, id, program); !status.ok()) return status;
  if (absl::Status status = RecordExecution(database_, scope, id, 1, execution); !status.ok()) return status;
  if (absl::Status status = CloseJob(database_, scope, id, "finished", "", "", now); !status.ok()) return status;
  return transaction->Commit();
}

absl::Status Ledger::Abandon(const std::string& scope, const std::string& id, const absl::Status& why, absl::Time now) {
  std::lock_guard<std::mutex> lock(mutex_);
  return CloseJob(database_, scope, id, absl::IsCancelled(why) ? "cancelled" : "failed", why.ToString(), "", now);
}

absl::StatusOr<v1::Insight> Ledger::Recall(const std::string& scope, const std::string& id) {
  const std::string shown = Excerpt(id, 40);
  if (id.size() < 4 || id.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat("\"", shown, "\" is no job id: give at least four of its hex digits"));
  }
  std::lock_guard<std::mutex> lock(mutex_);
  auto select = database_.Prepare(
      "SELECT kind, state, message, insight, id = ?2 FROM jobs WHERE scope = ?1 AND id >= ?2 AND id < ?2 || 'g' "
      "ORDER BY id LIMIT 2");
  if (!select.ok()) return select.status();
  absl::StatusOr<bool> row = select->Bind(1, scope).Bind(2, id).Step();
  if (!row.ok()) return row.status();
  if (!*row) return absl::NotFoundError(absl::StrCat("no job ", shown, " is kept in this store", InScope(scope)));
  const std::string kind = select->Text(0);
  const std::string state = select->Text(1);
  const std::string message = select->Text(2);
  const std::string record = select->Text(3);
  const bool whole = select->Integer(4) != 0;
  absl::StatusOr<bool> another = select->Step();
  if (!another.ok()) return another.status();
  if (*another && !whole)
    return absl::InvalidArgumentError(absl::StrCat("several job ids begin with ", shown, ": give more digits"));
  if (kind != "question") return absl::InvalidArgumentError(absl::StrCat("job ", shown, " ran a program; it was no question"));
  if (state != "finished") {
    return absl::FailedPreconditionError(
        absl::StrCat("job ", shown, " has no insight: it is ", state, message.empty() ? "" : ": ", message));
  }
  v1::Insight insight;
  if (!insight.ParseFromString(record)) return absl::DataLossError(absl::StrCat("job ", shown, ": its record is damaged"));
  return insight;
}

}  // namespace conclave
