// Ledger: the record of jobs, programs, executions, ballots and outcomes, in one SQLite file that several processes may share.
// Every key starts with a scope (tenant); nothing recorded under one scope is found under another.
//
// Thread safety: every function may be called from any thread at any time.
// Ownership: owns the database connection.
#ifndef CONCLAVE_LIB_STORE_LEDGER_H_
#define CONCLAVE_LIB_STORE_LEDGER_H_

#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conclave/v1/insight.pb.h"
#include "conclave/v1/job.pb.h"
#include "lib/store/sqlite_database.h"

namespace conclave {

class Ledger {
 public:
  // Opens or creates `file`. DataLoss when it was written by a newer version of the library or is no ledger.
  // Not `durable`: what is recorded need not survive the machine, because the file goes with the process.
  static absl::StatusOr<std::unique_ptr<Ledger>> Open(const std::string& file, bool durable = true);

  // Records that a job started and returns its id: 16 lower-case hex digits, unique in the ledger.
  absl::StatusOr<std::string> Begin(const std::string& scope, const v1::AnalysisJob& job, absl::Time now);
  absl::StatusOr<std::string> Begin(const std::string& scope, const v1::ExecutionJob& job, absl::Time now);

  // Records how the job ended, all or nothing. `insight.id` names the job. NotFound for an id that Begin did not give.
  absl::Status Finish(const std::string& scope, const v1::Insight& insight, absl::Time now);
  absl::Status Finish(const std::string& scope, const std::string& id, const v1::Program& program,
                      const v1::Execution& execution, absl::Time now);
  // Records that the job ended without an insight: cancelled, or unusable input.
  absl::Status Abandon(const std::string& scope, const std::string& id, const absl::Status& why, absl::Time now);

  // A finished question by its id or by the first four or more digits of it. NotFound when this scope has none,
  // InvalidArgument when several begin so or when the job was not a question, FailedPrecondition when it has no insight.
  absl::StatusOr<v1::Insight> Recall(const std::string& scope, const std::string& id);

 private:
  explicit Ledger(SqliteDatabase database) : database_(std::move(database)) {}
  absl::StatusOr<std::string> Begin(const std::string& scope, std::string_view kind, std::string_view question,
                                    std::string_view descriptor, absl::Time now);

  std::mutex mutex_;
  SqliteDatabase database_;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_STORE_LEDGER_H_
