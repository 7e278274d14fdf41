#include "conclave/engine.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lib/sandbox/process_sandbox.h"
#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

constexpr char kSales[] = "code,region,price\n00501,North,1.50\n10001,South,2.50\n10002,North,4.00\n";

// A variable of the environment, as long as this lives.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    if (const char* before = ::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Setting() {
    if (before_.has_value()) ::setenv(name_, before_->c_str(), 1);
    if (!before_.has_value()) ::unsetenv(name_);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* const name_;
  std::optional<std::string> before_;
};

class EngineTest : public testing::Test {
 protected:
  EngineTest() {
    EngineOptions options;
    options.guest_folder = CONCLAVE_LIBEXEC_DIR;
    options.store_folder = folder_ / "store";
    options.python = "/usr/bin/python3";
    absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Create(options);
    EXPECT_TRUE(engine.ok()) << engine.status();
    engine_ = *std::move(engine);
  }

  static std::unique_ptr<Engine> EngineWithoutStoreFolder() {
    EngineOptions options;
    options.guest_folder = CONCLAVE_LIBEXEC_DIR;
    options.python = "/usr/bin/python3";
    return Engine::Create(options).value();
  }

  v1::AnalysisJob Question(const std::string& question, const std::string& file) const {
    v1::AnalysisJob job;
    job.set_question(question);
    job.add_datasets()->set_path(file);
    return job;
  }

  v1::ExecutionJob Sql(const std::string& code, const std::string& file) const {
    v1::ExecutionJob job;
    job.set_language(v1::SQL);
    job.set_code(code);
    job.add_datasets()->set_path(file);
    return job;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(EngineTest, AMissingGuestFolderIsNamed) {
  EngineOptions options;
  options.guest_folder = folder_.path();
  const absl::Status status = Engine::Create(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.ToString().find(folder_.path()), std::string::npos);
}

TEST_F(EngineTest, AFileMayHaveANameThatIsNotUtf8) {
  const std::string file = folder_.Write("caf\xe9.csv", kSales);
  const v1::Insight insight = engine_->Analyze(Question("How many rows are there?", file), Cancellation(), nullptr).value();
  EXPECT_EQ(insight.answer().value().integer(), "3");
  // What was recorded can be read again.
  EXPECT_EQ(engine_->Recall("default", insight.id()).value().sentence(), insight.sentence());
  v1::ProfileJob job;
  job.add_datasets()->set_path(file);
  EXPECT_EQ(engine_->Profile(job, Cancellation(), nullptr).value().at(0).source(), "caf\xef\xbf\xbd.csv");
  const absl::Status missing = engine_->Analyze(Question("How many rows?", file + "x"), Cancellation(), nullptr).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(missing.ToString().find("datasets[0].path"), std::string::npos) << missing;
  const std::string folder = folder_ / "\xe9";
  std::filesystem::create_directory(folder);
  const absl::Status refused = engine_->Analyze(Question("How many rows?", folder), Cancellation(), nullptr).status();
  EXPECT_NE(refused.ToString().find("datasets[0].path: \""), std::string::npos) << refused;
  EXPECT_NE(refused.ToString().find("is a folder"), std::string::npos) << refused;
}

TEST_F(EngineTest, TheExaminationNamesLibraryGuestsAndPanel) {
  std::map<std::string, Finding> found;
  for (const Finding& finding : engine_->Examine()) found[finding.part] = finding;
  const auto says = [&](const std::string& part, const std::string& text) {
    return found[part].good && found[part].message.find(text) != std::string::npos;
  };
  EXPECT_TRUE(says("library", "engine_test, release ")) << found["library"].message;
  EXPECT_TRUE(says("guest programs", std::string(CONCLAVE_LIBEXEC_DIR) + " (the option guest_folder), release "))
      << found["guest programs"].message;
  EXPECT_TRUE(says("panel", "offline-sql, offline-pandas")) << found["panel"].message;
}

TEST_F(EngineTest, AProfileThatFailsEndsWithOneDoneEvent) {
  v1::ProfileJob job;
  job.add_datasets()->set_path(folder_ / "no.csv");
  std::vector<std::string> states;
  const absl::Status status = engine_
                                  ->Profile(job, Cancellation(),
                                            [&](const v1::Event& event) {
                                              if (event.phase() == "done") states.push_back(event.state());
                                            })
                                  .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(states, std::vector<std::string>{"failed"});
}

TEST_F(EngineTest, MemoryThatEndsBeforeThePythonProgramStartsIsTheLimit) {
  v1::ExecutionJob job = Sql("answer = 1", folder_.Write("sales.csv", kSales));
  job.set_language(v1::PYTHON);
  for (const int64_t mebibytes : {30, 40, 45, 50}) {
    job.mutable_context()->mutable_run_limits()->set_memory_bytes(mebibytes << 20);
    const absl::StatusOr<v1::Execution> execution = engine_->Execute(job, Cancellation(), nullptr);
    ASSERT_TRUE(execution.ok()) << execution.status();
    EXPECT_EQ(execution->end_reason(), v1::MEMORY_LIMIT) << mebibytes << ": " << execution->detail();
  }
}

// The runs of a root host are an unprivileged user's; those of any other host are its own user's.
TEST_F(EngineTest, GuestsThatARunMayNotUseAreNamedWithTheWayOut) {
  std::filesystem::copy(CONCLAVE_LIBEXEC_DIR, folder_ / "guests", std::filesystem::copy_options::recursive);
  const std::string guest = folder_ / "guests/conclave-ingest";
  std::filesystem::permissions(guest, std::filesystem::perms::owner_all);
  EngineOptions options;
  options.guest_folder = folder_ / "guests";
  const std::unique_ptr<Engine> engine = Engine::Create(options).value();
  const std::string file = folder_.Write("sales.csv", kSales);
  const absl::Status status = engine->Analyze(Question("How many rows?", file), Cancellation(), nullptr).status();
  if (::geteuid() != 0) {
    EXPECT_TRUE(status.ok()) << status;
    return;
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_NE(status.ToString().find(guest), std::string::npos) << status;
  EXPECT_NE(status.ToString().find("readable and executable for everybody"), std::string::npos) << status;
}

TEST_F(EngineTest, FilesThatCannotBeReadAreInputErrors) {
  EXPECT_EQ(engine_->Analyze(Question("How many rows?", folder_ / "no.csv"), Cancellation(), nullptr).status().code(),
            absl::StatusCode::kNotFound);
  const std::string junk = folder_.Write("junk.csv", std::string("\x00\x01\x02\xff\xfe\x00\x80", 7));
  EXPECT_EQ(engine_->Analyze(Question("How many rows?", junk), Cancellation(), nullptr).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(EngineTest, ATemporaryStoreThatWasCleanedAwayIsMadeAnew) {
  const TemporaryFolder temporary;
  const Setting setting("TMPDIR", temporary.path());
  const std::unique_ptr<Engine> engine = EngineWithoutStoreFolder();
  const std::string file = folder_.Write("sales.csv", kSales);
  for (int cleaned = 0; cleaned < 2; ++cleaned) {
    const absl::StatusOr<v1::Insight> insight =
        engine->Analyze(Question("How many rows are there?", file), Cancellation(), nullptr);
    ASSERT_TRUE(insight.ok()) << insight.status();
    EXPECT_EQ(insight->answer().value().integer(), "3");
    EXPECT_TRUE(engine->Recall("default", insight->id()).ok());
    for (const auto& entry : std::filesystem::directory_iterator(temporary.path())) std::filesystem::remove_all(entry.path());
  }
  EXPECT_TRUE(engine->Execute(Sql("SELECT count(*) FROM sales", file), Cancellation(), nullptr).ok());
}

TEST_F(EngineTest, RunsLiveBelowTheTemporaryFolderWhereTheyCanReachIt) {
  const TemporaryFolder open;
  ASSERT_EQ(::chmod(open.path().c_str(), 0711), 0);
  const Setting setting("TMPDIR", open.path());
  v1::ExecutionJob job = Sql("import os\ndf = load()\nresult = os.getcwd()", folder_.Write("sales.csv", kSales));
  job.set_language(v1::PYTHON);
  const absl::StatusOr<v1::Execution> execution = EngineWithoutStoreFolder()->Execute(job, Cancellation(), nullptr);
  ASSERT_TRUE(execution.ok()) << execution.status();
  const std::string& place = execution->answer().value().text();
  EXPECT_EQ(place.rfind(open.path() + "/conclave-run-", 0), 0u) << place << execution->answer().error().message();
}

TEST_F(EngineTest, AStoreStaysWhereItWasWhenTheHostChangesItsFolder) {
  const TemporaryFolder first;
  const TemporaryFolder second;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(first.path());
  const Setting setting("TMPDIR", ".");
  const std::unique_ptr<Engine> engine = EngineWithoutStoreFolder();
  std::filesystem::current_path(second.path());
  const std::string file = folder_.Write("sales.csv", kSales);
  EXPECT_TRUE(engine->Analyze(Question("How many rows are there?", file), Cancellation(), nullptr).ok());
  std::filesystem::current_path(before);
  EXPECT_FALSE(std::filesystem::is_empty(first.path()));
  EXPECT_TRUE(std::filesystem::is_empty(second.path()));
}

TEST_F(EngineTest, ARunThatCannotFitIsRefusedByName) {
  v1::AnalysisJob job = Question("How many rows are there?", folder_.Write("sales.csv", kSales));
  job.mutable_context()->mutable_run_limits()->set_memory_bytes(int64_t{1} << 50);
  const absl::Status status = engine_->Analyze(job, Cancellation(), nullptr).status();
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.ToString().find("memory"), std::string::npos) << status;
}

TEST_F(EngineTest, CancelledBeforeItBeginsLeavesNoInsight) {
  CancellationSource source;
  source.Cancel();
  const std::string file = folder_.Write("sales.csv", kSales);
  EXPECT_EQ(engine_->Analyze(Question("How many rows are there?", file), source.token(), nullptr).status().code(),
            absl::StatusCode::kCancelled);
}

TEST_F(EngineTest, AQuestionIsAnsweredByTwoEnginesAndRemembered) {
  const std::string file = folder_.Write("sales.csv", kSales);
  std::vector<std::string> phases;
  absl::StatusOr<v1::Insight> insight =
      engine_->Analyze(Question("What is the average price per region?", file), Cancellation(),
                       [&](const v1::Event& event) { phases.push_back(event.phase()); });
  ASSERT_TRUE(insight.ok()) << insight.status();
  EXPECT_EQ(insight->outcome().kind(), v1::SUPPORTED) << insight->outcome().explanation();
  EXPECT_EQ(insight->answer().value().table().rows_size(), 2);
  ASSERT_EQ(insight->executions_size(), 2);
  const int level = CreateProcessSandbox(ProcessSandboxOptions()).value()->Probe()->isolation_level;
  for (const v1::Execution& execution : insight->executions()) {
    EXPECT_EQ(execution.isolation_level(), level);
    EXPECT_GT(execution.usage().memory_peak_bytes(), 0);
    EXPECT_EQ(execution.limits().memory_bytes(), 512 << 20);
  }
  EXPECT_TRUE(insight->profiles(0).recount().done());
  EXPECT_EQ(insight->profiles(0).columns(0).type(), v1::COLUMN_TEXT);  // 00501 is no number
  EXPECT_EQ(phases.front(), "read");
  EXPECT_EQ(phases.back(), "done");
  EXPECT_EQ(engine_->Recall("", insight->id())->SerializeAsString(), insight->SerializeAsString());
  EXPECT_FALSE(engine_->Recall("other", insight->id()).ok());
}

TEST_F(EngineTest, ADeclinedQuestionRunsNothing) {
  const std::string file = folder_.Write("sales.csv", kSales);
  v1::Insight insight =
      engine_->Analyze(Question("What is the refunded average price?", file), Cancellation(), nullptr).value();
  EXPECT_EQ(insight.outcome().kind(), v1::NONE);
  EXPECT_EQ(insight.executions_size(), 0);
  ASSERT_GE(insight.not_understood_size(), 1);
  EXPECT_EQ(insight.not_understood(0), "refunded");
}

TEST_F(EngineTest, AFileIsParsedOnceWhateverItIsCalled) {
  const std::string first = folder_.Write("north.csv", kSales);
  const std::string second = folder_.Write("south.csv", kSales);
  v1::ProfileJob job;
  job.add_datasets()->set_path(first);
  job.add_datasets()->set_path(second);
  std::vector<v1::Profile> profiles = engine_->Profile(job, Cancellation(), nullptr).value();
  EXPECT_EQ(profiles[0].dataset(), profiles[1].dataset());
  EXPECT_EQ(profiles[0].name(), "north");
  EXPECT_EQ(profiles[1].name(), "south");
}

TEST_F(EngineTest, AProgramsFaultIsItsOwnAndIsRecorded) {
  const std::string file = folder_.Write("sales.csv", kSales);
  v1::Execution execution = engine_->Execute(Sql("SELECT avg(prize) FROM sales", file), Cancellation(), nullptr).value();
  EXPECT_EQ(execution.answer().kind(), v1::ERROR);
  EXPECT_NE(execution.answer().error().message().find("price"), std::string::npos) << execution.answer().error().message();
}

TEST_F(EngineTest, AProgramOverTwoFilesSeesBoth) {
  v1::ExecutionJob job =
      Sql("SELECT count(*) FROM sales JOIN regions ON sales.region = regions.name", folder_.Write("sales.csv", kSales));
  job.add_datasets()->set_path(folder_.Write("regions.csv", "name,manager\nNorth,Ann\nSouth,Bob\n"));
  v1::Execution execution = engine_->Execute(job, Cancellation(), nullptr).value();
  EXPECT_EQ(execution.answer().value().integer(), "3") << execution.answer().error().message();
}

TEST_F(EngineTest, JobsOfManyThreadsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([this, i] {
      std::string content = "n\n";
      for (int row = 0; row <= i; ++row) content += "7\n";
      const std::string file = folder_.Write("t" + std::to_string(i) + ".csv", content);
      v1::ExecutionJob job = Sql("SELECT count(*) FROM t" + std::to_string(i), file);
      absl::StatusOr<v1::Execution> execution = engine_->Execute(job, Cancellation(), nullptr);
      ASSERT_TRUE(execution.ok()) << execution.status();
      EXPECT_EQ(execution->answer().value().integer(), std::to_string(i + 1));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(EngineTest, ExaminationFindsEveryPart) {
  const std::vector<Finding> findings = engine_->Examine();
  for (const char* part : {"sandbox", "guest programs", "sql", "python", "store"}) {
    EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
      return finding.part == part && finding.good && !finding.message.empty();
    })) << part;
  }
}

TEST(EngineWithoutPythonTest, OneExecutionIsNotAnAnswerButIsShown) {
  TemporaryFolder folder;
  EngineOptions options;
  options.guest_folder = CONCLAVE_LIBEXEC_DIR;
  options.python = "/nonexistent/python3";
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  v1::AnalysisJob job;
  job.set_question("How many rows are there?");
  job.add_datasets()->set_path(folder.Write("sales.csv", kSales));
  v1::Insight insight = engine->Analyze(job, Cancellation(), nullptr).value();
  EXPECT_EQ(insight.outcome().kind(), v1::NONE);
  EXPECT_EQ(insight.outcome().reasons(0), "one_execution");
  EXPECT_EQ(insight.answer().value().integer(), "3");
  EXPECT_NE(insight.ballots(1).why_not().find("/nonexistent/python3"), std::string::npos);
}

}  // namespace
}  // namespace conclave
