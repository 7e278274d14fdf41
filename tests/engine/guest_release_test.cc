// A library and guest programs of different releases do not work on a file together, and say so.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "conclave/engine.h"
#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

constexpr char kComplaint[] = " is of release 0.0.9 and the library of 0.1.0";

class GuestReleaseTest : public testing::Test {
 protected:
  // An engine whose guests are those of this build, but for `others`.
  std::unique_ptr<Engine> EngineWith(const std::vector<std::string>& others) {
    for (const char* name : {"conclave-ingest", "conclave-recount", "conclave-sql"}) {
      const bool other = std::find(others.begin(), others.end(), name) != others.end();
      std::filesystem::create_symlink(
          other ? CONCLAVE_BIN_DIR "/guest_of_another_release" : std::string(CONCLAVE_LIBEXEC_DIR "/") + name,
          folder_.path() + "/" + name);
    }
    EngineOptions options;
    options.guest_folder = folder_.path();
    return Engine::Create(options).value();
  }

  v1::AnalysisJob Question() {
    v1::AnalysisJob job;
    job.set_question("What is the total n?");
    job.add_datasets()->set_path(folder_.Write("t.csv", "n\n1\n2\n"));
    return job;
  }

  static std::string Message(const Engine& engine, const std::string& part) {
    for (const Finding& finding : engine.Examine()) {
      if (finding.part == part) return (finding.good ? "good: " : "bad: ") + finding.message;
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(GuestReleaseTest, FilesAreNotReadByAnotherRelease) {
  const std::unique_ptr<Engine> engine = EngineWith({"conclave-ingest"});
  const absl::Status status = engine->Analyze(Question(), Cancellation(), nullptr).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.ToString().find(folder_.path() + "/conclave-ingest" + kComplaint), std::string::npos) << status;
  EXPECT_EQ(Message(*engine, "guest programs").find("bad: " + folder_.path() + "/conclave-ingest" + kComplaint), 0u);
}

TEST_F(GuestReleaseTest, ProgramsAreNotRunByAnotherRelease) {
  const std::unique_ptr<Engine> engine = EngineWith({"conclave-sql"});
  const absl::Status status = engine->Analyze(Question(), Cancellation(), nullptr).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.ToString().find(folder_.path() + "/conclave-sql" + kComplaint), std::string::npos) << status;
  EXPECT_EQ(Message(*engine, "sql").find("bad: "), 0u) << Message(*engine, "sql");
}

TEST_F(GuestReleaseTest, ASecondReaderOfAnotherReleaseIsAWarning) {
  const std::unique_ptr<Engine> engine = EngineWith({"conclave-recount"});
  v1::ProfileJob job;
  *job.add_datasets() = Question().datasets(0);
  const v1::Profile profile = engine->Profile(job, Cancellation(), nullptr).value().at(0);
  EXPECT_FALSE(profile.recount().done());
  EXPECT_NE(profile.recount().why_not().find(kComplaint), std::string::npos) << profile.recount().why_not();
}

TEST_F(GuestReleaseTest, TheSupervisorBesideTheGuestsIsUsedElseTheEmbeddedOne) {
  const std::unique_ptr<Engine> engine = EngineWith({});
  EXPECT_NE(Message(*engine, "sandbox").find("supervisor: embedded"), std::string::npos) << Message(*engine, "sandbox");
  EXPECT_EQ(Message(*engine, "guest programs"), "good: " + folder_.path() + " (the option guest_folder), release 0.1.0");
  const std::string file = folder_.path() + "/conclave-supervisor";
  std::filesystem::create_symlink(CONCLAVE_LIBEXEC_DIR "/conclave-supervisor", file);
  EngineOptions options;
  options.guest_folder = folder_.path();
  const std::unique_ptr<Engine> second = Engine::Create(options).value();
  EXPECT_NE(Message(*second, "sandbox").find("supervisor: " + file), std::string::npos) << Message(*second, "sandbox");
}

}  // namespace
}  // namespace conclave
