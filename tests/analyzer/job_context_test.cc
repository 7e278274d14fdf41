#include "lib/analyzer/job_context.h"

#include <gtest/gtest.h>

#include <string>

namespace conclave {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);  // 2023-11-14T22:13:20Z

v1::AnalysisJob Job(const std::string& question) {
  v1::AnalysisJob job;
  job.set_question(question);
  job.add_datasets()->set_path("a.csv");
  return job;
}

std::string MessageOf(const absl::Status& status) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(JobContextTest, EveryBadFieldIsNamed) {
  v1::JobContext context;
  context.mutable_run_limits()->set_wall_ms(-5);
  EXPECT_NE(MessageOf(ResolveContext(context, kNow).status()).find("context.run_limits.wall_ms: -5"), std::string::npos);
  context.Clear();
  context.mutable_run_limits()->set_threads(-1);
  EXPECT_NE(MessageOf(ResolveContext(context, kNow).status()).find("threads"), std::string::npos);
  context.Clear();
  context.set_time_zone("Mars/Olympus");
  EXPECT_NE(MessageOf(ResolveContext(context, kNow).status()).find("Mars/Olympus"), std::string::npos);
  context.Clear();
  context.set_as_of("2023-02-30");
  EXPECT_NE(MessageOf(ResolveContext(context, kNow).status()).find("2023-02-30"), std::string::npos);
  context.Clear();
  context.set_deadline_ms(-1);
  EXPECT_NE(MessageOf(ResolveContext(context, kNow).status()).find("deadline_ms"), std::string::npos);
}

TEST(JobContextTest, LimitsOutOfRangeAreNamedAsTheJobNamesThem) {
  v1::JobContext context;
  context.mutable_run_limits()->set_wall_ms(1'000'000'006'000);
  EXPECT_EQ(MessageOf(ResolveContext(context, kNow).status()),
            "context.run_limits.wall_ms: 1000000006000 is not from 1 to 604800000: leave it out for the default of 60000");
  context.Clear();
  context.mutable_run_limits()->set_memory_bytes(1000);
  EXPECT_EQ(MessageOf(ResolveContext(context, kNow).status()).rfind("context.run_limits.memory_bytes: 1000 is not from", 0), 0);
  context.Clear();
  context.mutable_run_limits()->set_processes(100);
  EXPECT_EQ(MessageOf(ResolveContext(context, kNow).status()).rfind("context.run_limits.threads: 64 are fewer", 0), 0);
  context.Clear();
  context.mutable_run_limits()->set_wall_ms(absl::ToInt64Milliseconds(kLongestRun));
  EXPECT_EQ(ResolveContext(context, kNow).value().run_limits.wall, kLongestRun);
}

TEST(JobContextTest, TextIsUtf8AndTheFieldThatIsNotIsNamed) {
  const auto begins = [](const absl::Status& status, const std::string& field) {
    EXPECT_EQ(MessageOf(status).rfind(field + ": not valid UTF-8: \"a\\xff\"", 0), 0u) << status;
  };
  v1::JobContext context;
  context.set_scope("a\xff");
  begins(ResolveContext(context, kNow).status(), "context.scope");
  context.Clear();
  context.set_time_zone("a\xff");
  begins(ResolveContext(context, kNow).status(), "context.time_zone");
  context.Clear();
  context.set_as_of("a\xff");
  begins(ResolveContext(context, kNow).status(), "context.as_of");
  context.Clear();
  context.set_locale("a\xff");
  begins(ResolveContext(context, kNow).status(), "context.locale");
  v1::AnalysisJob job = Job("How many rows?");
  job.add_personas("a\xff");
  begins(CheckAnalysisJob(job), "personas[0]");
  job.clear_personas();
  job.mutable_datasets(0)->set_name("a\xff");
  begins(CheckAnalysisJob(job), "datasets[0].name");
}

TEST(JobContextTest, DefaultsAreWrittenOut) {
  ResolvedContext resolved = ResolveContext(v1::JobContext(), kNow).value();
  EXPECT_EQ(resolved.context.scope(), "default");
  EXPECT_EQ(resolved.context.as_of(), "2023-11-14");
  EXPECT_EQ(resolved.context.time_zone(), "UTC");
  EXPECT_EQ(resolved.deadline, kNow + absl::Minutes(5));
  EXPECT_EQ(resolved.run_limits.memory_bytes, 512 << 20);
  EXPECT_EQ(resolved.run_limits.processes, 1);
}

TEST(JobContextTest, TodayIsTodayInTheJobsZone) {
  v1::JobContext context;
  context.set_time_zone("Pacific/Auckland");
  EXPECT_EQ(ResolveContext(context, kNow)->context.as_of(), "2023-11-15");
}

TEST(CheckAnalysisJobTest, RefusesQuestionsThatCannotBeRead) {
  EXPECT_NE(MessageOf(CheckAnalysisJob(Job(""))).find("empty"), std::string::npos);
  EXPECT_NE(MessageOf(CheckAnalysisJob(Job(" ?! \n"))).find("empty"), std::string::npos);
  EXPECT_NE(MessageOf(CheckAnalysisJob(Job("mean \xff"))).find("\\xff"), std::string::npos);
  EXPECT_NE(MessageOf(CheckAnalysisJob(Job(std::string(4001, 'a')))).find("4001"), std::string::npos);
  EXPECT_TRUE(CheckAnalysisJob(Job(std::string(4000, 'a'))).ok());
}

TEST(CheckAnalysisJobTest, RefusesDatasetsThatSayNothingOrTooMuch) {
  v1::AnalysisJob job = Job("How many rows?");
  job.clear_datasets();
  EXPECT_NE(MessageOf(CheckAnalysisJob(job)).find("datasets"), std::string::npos);
  job.add_datasets();
  EXPECT_NE(MessageOf(CheckAnalysisJob(job)).find("datasets[0]"), std::string::npos);
  job.mutable_datasets(0)->set_path("a.csv");
  job.mutable_datasets(0)->set_descriptor(3);
  EXPECT_NE(MessageOf(CheckAnalysisJob(job)).find("exactly one"), std::string::npos);
}

TEST(CheckExecutionJobTest, RefusesCodeThatCannotBeRun) {
  v1::ExecutionJob job;
  job.add_datasets()->set_path("a.csv");
  EXPECT_NE(MessageOf(CheckExecutionJob(job)).find("language"), std::string::npos);
  job.set_language(v1::SQL);
  EXPECT_NE(MessageOf(CheckExecutionJob(job)).find("code"), std::string::npos);
  job.set_code(std::string((1 << 20) + 1, ' '));
  EXPECT_NE(MessageOf(CheckExecutionJob(job)).find("1048577"), std::string::npos);
  job.set_code("SELECT 1");
  EXPECT_TRUE(CheckExecutionJob(job).ok());
}

}  // namespace
}  // namespace conclave
