// What a mistake leads to: a writer of programs that is wrong, and a question with a word too many, through real reading, real
// runs and the real judge.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/analyzer/question_analyzer.h"
#include "lib/base/clock.h"
#include "lib/consensus/quorum_consensus.h"
#include "lib/dataset/reader.h"
#include "lib/persona/offline_persona.h"
#include "lib/plan/pandas_writer.h"
#include "lib/plan/sql_writer.h"
#include "lib/store/ledger.h"
#include "tests/support/memory_shelf.h"
#include "tests/support/real_runtimes_test.h"
#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

constexpr char kWeather[] = CONCLAVE_SOURCE_DIR "/examples/data/seattle-weather.csv";

// A writer that adds up where it should average.
Plan AddedUp(Plan plan) {
  for (Aggregate& aggregate : plan.aggregates) {
    if (aggregate.function == Function::kMean) aggregate.function = Function::kSum;
  }
  return plan;
}

class JudgedTest : public RealRuntimesTest {
 protected:
  void SetUp() override {
    RealRuntimesTest::SetUp();
    ASSERT_NE(sandbox_, nullptr);
    // Read once: every question is about the same file.
    const Reader reader(*sandbox_, &shelf_, ReaderOptions{.guest_folder = CONCLAVE_LIBEXEC_DIR, .source = {}});
    TableNames names;
    v1::DatasetSource source;
    source.set_path(kWeather);
    absl::StatusOr<DatasetPtr> weather = reader.Read(source, "datasets[0]", ReadOptions(), &names, Cancellation());
    ASSERT_TRUE(weather.ok()) << weather.status();
    weather_ = *weather;
    ledger_ = Ledger::Open(folder_ / "conclave.db").value();
  }

  v1::Insight Ask(const std::string& question, PlanWriter sql_writer, PlanWriter pandas_writer) {
    const std::unique_ptr<Persona> sql = CreateOfflinePersona(v1::SQL, std::move(sql_writer));
    const std::unique_ptr<Persona> pandas = CreateOfflinePersona(v1::PYTHON, std::move(pandas_writer));
    const auto admit = [](const Limits&, const AdmissionTicket&, const Cancellation&, absl::Time) {
      return std::shared_ptr<void>();
    };
    const ProgramRunner runner(admit, {sql_.get(), python_.get()});
    AnalyzerParts parts;
    parts.read = [&](const auto&, const ResolvedContext&, const Cancellation&, EventStream&) {
      return absl::StatusOr<std::vector<DatasetPtr>>(std::vector<DatasetPtr>{weather_});
    };
    parts.panel = [&] { return std::vector<PersonaPtr>{{PersonaPtr(), sql.get()}, {PersonaPtr(), pandas.get()}}; };
    parts.runner = &runner;
    parts.consensus = &consensus_;
    parts.ledger = ledger_.get();
    parts.clock = &Clock::System();
    v1::AnalysisJob job;
    job.set_question(question);
    job.add_datasets()->set_path(kWeather);
    absl::StatusOr<v1::Insight> insight = QuestionAnalyzer(std::move(parts)).Analyze(job, Cancellation(), nullptr);
    EXPECT_TRUE(insight.ok()) << insight.status();
    return insight.ok() ? *insight : v1::Insight();
  }

  TemporaryFolder folder_;
  MemoryShelf shelf_;
  QuorumConsensus consensus_;
  DatasetPtr weather_;
  std::unique_ptr<Ledger> ledger_;
};

TEST_F(JudgedTest, AWrongSqlWriterIsDisputed) {
  const v1::Insight insight = Ask(
      "What is the mean temp_max?", [](const Plan& plan) { return WriteSql(AddedUp(plan)); }, WritePandas);
  EXPECT_EQ(insight.outcome().kind(), v1::DISPUTED) << insight.outcome().explanation();
  EXPECT_FALSE(insight.has_answer()) << "a disputed answer is not delivered";
  EXPECT_EQ(insight.outcome().clusters_size(), 2) << "both answers are shown";
}

TEST_F(JudgedTest, AWrongPandasWriterIsDisputed) {
  const v1::Insight insight =
      Ask("Average wind per weather", WriteSql, [](const Plan& plan) { return WritePandas(AddedUp(plan)); });
  EXPECT_EQ(insight.outcome().kind(), v1::DISPUTED) << insight.outcome().explanation();
  EXPECT_FALSE(insight.has_answer());
}

TEST_F(JudgedTest, GoodWritersAreSupported) {
  const v1::Insight insight = Ask("What is the mean temp_max?", WriteSql, WritePandas);
  EXPECT_EQ(insight.outcome().kind(), v1::SUPPORTED) << insight.outcome().explanation();
}

TEST_F(JudgedTest, AWordTooManyIsDeclinedAndNamed) {
  for (const char* question : {"What is the mean temp_max?", "Average wind per weather", "How many rows have weather snow?"}) {
    const std::vector<std::string> words = absl::StrSplit(question, ' ');
    for (const char* extra : {"except", "refunded"}) {
      for (size_t at = 0; at <= words.size(); ++at) {
        std::vector<std::string> longer = words;
        longer.insert(longer.begin() + static_cast<ptrdiff_t>(at), extra);
        const std::string asked = absl::StrJoin(longer, " ");
        const v1::Insight insight = Ask(asked, WriteSql, WritePandas);
        EXPECT_EQ(insight.outcome().kind(), v1::NONE) << asked;
        EXPECT_EQ(insight.executions_size(), 0) << asked;
        EXPECT_NE(std::find(insight.not_understood().begin(), insight.not_understood().end(), extra),
                  insight.not_understood().end())
            << asked;
      }
    }
  }
}

}  // namespace
}  // namespace conclave
