#include "lib/store/ledger.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/time/clock.h"
#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

v1::AnalysisJob Job(const std::string& question) {
  v1::AnalysisJob job;
  job.set_question(question);
  return job;
}

class LedgerTest : public testing::Test {
 protected:
  LedgerTest() { ledger_ = Ledger::Open(folder_ / "conclave.db").value(); }

  v1::Insight Finished(const std::string& scope, const std::string& question) {
    v1::Insight insight;
    insight.set_id(ledger_->Begin(scope, Job(question), absl::Now()).value());
    insight.set_question(question);
    insight.mutable_outcome()->set_kind(v1::SUPPORTED);
    insight.add_programs()->set_code("SELECT 1");
    insight.add_executions()->set_engine("sqlite");
    insight.add_ballots()->set_persona("offline-sql");
    EXPECT_TRUE(ledger_->Finish(scope, insight, absl::Now()).ok());
    return insight;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Ledger> ledger_;
};

TEST_F(LedgerTest, RefusesAFileThatIsNoDatabase) {
  const std::string file = folder_.Write("junk.db", std::string(4096, 'x'));
  absl::StatusOr<std::unique_ptr<Ledger>> ledger = Ledger::Open(file);
  ASSERT_FALSE(ledger.ok());
  EXPECT_EQ(ledger.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_NE(ledger.status().ToString().find("junk.db"), std::string::npos);
}

TEST_F(LedgerTest, RefusesANewerSchema) {
  SqliteDatabase database = SqliteDatabase::Open(folder_ / "newer.db").value();
  ASSERT_TRUE(database.Execute("PRAGMA user_version = 99").ok());
  EXPECT_EQ(Ledger::Open(folder_ / "newer.db").status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(LedgerTest, RefusesToFinishAJobThatWasNotBegunOrEndedBefore) {
  v1::Insight insight;
  insight.set_id("0123456789abcdef");
  EXPECT_EQ(ledger_->Finish("a", insight, absl::Now()).code(), absl::StatusCode::kNotFound);
  insight = Finished("a", "How many rows?");
  EXPECT_EQ(ledger_->Finish("a", insight, absl::Now()).code(), absl::StatusCode::kInternal);
}

TEST_F(LedgerTest, RecallNamesWhatIsWrongWithAnId) {
  EXPECT_EQ(ledger_->Recall("a", "abc").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ledger_->Recall("a", "'; --").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ledger_->Recall("a", "abcd").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(LedgerTest, RecallsByIdAndByItsFirstDigits) {
  const v1::Insight insight = Finished("a", "How many rows?");
  EXPECT_EQ(ledger_->Recall("a", insight.id())->SerializeAsString(), insight.SerializeAsString());
  EXPECT_EQ(ledger_->Recall("a", insight.id().substr(0, 6))->id(), insight.id());
}

TEST_F(LedgerTest, ScopesDoNotSeeEachOther) {
  const v1::Insight insight = Finished("a", "How many rows?");
  EXPECT_EQ(ledger_->Recall("b", insight.id()).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(LedgerTest, AnAbandonedJobSaysWhyItHasNoInsight) {
  const std::string id = ledger_->Begin("a", Job("How many rows?"), absl::Now()).value();
  ASSERT_TRUE(ledger_->Abandon("a", id, absl::CancelledError("interrupted"), absl::Now()).ok());
  const absl::Status status = ledger_->Recall("a", id).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.ToString().find("interrupted"), std::string::npos);
}

TEST_F(LedgerTest, TwoConnectionsShareOneFile) {
  const v1::Insight insight = Finished("a", "How many rows?");
  std::unique_ptr<Ledger> second = Ledger::Open(folder_ / "conclave.db").value();
  EXPECT_EQ(second->Recall("a", insight.id())->question(), "How many rows?");
}

}  // namespace
}  // namespace conclave
