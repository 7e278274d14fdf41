// Every call that the supervisor and its children make for a run fails once, for every call and in every way it can.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "lib/base/descriptor.h"
#include "lib/sandbox/process_sandbox.h"
#include "tests/failure/belongings.h"
#include "tests/failure/nth_failure.h"
#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

constexpr int kMostSupervisorCalls = 20'000;

class SupervisorFailureTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    AdoptOrphans();
    ASSERT_EQ(::chmod(folder_.path().c_str(), 0711), 0);
    ASSERT_EQ(::mkdir(runs_.c_str(), 0711), 0);
    const std::string supervisor = folder_ / "supervisor";
    std::filesystem::copy_file(CONCLAVE_BIN_DIR "/failing-supervisor", supervisor);
    const Descriptor file(::open((supervisor + FAILING_PLAN_SUFFIX).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_TRUE(file.valid() && ::ftruncate(file.get(), sizeof(failing_plan)) == 0);
    void* const shared = ::mmap(nullptr, sizeof(failing_plan), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    ASSERT_NE(shared, MAP_FAILED);
    plan_ = static_cast<failing_plan*>(shared);

    ProcessSandboxOptions options;
    options.supervisor_path = supervisor;
    options.temporary_folder = runs_;
    options.isolation = {0, 3};
    absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox(options);
    ASSERT_TRUE(sandbox.ok()) << sandbox.status();
    absl::StatusOr<SandboxCapabilities> can = (*sandbox)->Probe();
    ASSERT_TRUE(can.ok()) << can.status();
    level_ = can->isolation_level;
    options.isolation = {level_, 3};
    sandbox_ = CreateProcessSandbox(options).value();
  }

  void TearDown() override {
    sandbox_.reset();
    if (plan_ != nullptr) ::munmap(plan_, sizeof(failing_plan));
  }

  // A run that went well had everything that it can have here, and its program did all it does. Any other outcome has a name.
  void Check(const absl::StatusOr<SandboxResult>& result, v1::EndReason expected, const std::string& output) {
    if (!result.ok()) {
      EXPECT_FALSE(result.status().message().empty()) << "no reason was given";
      return;
    }
    EXPECT_FALSE(result->detail.empty()) << "no reason was given";
    EXPECT_NE(result->end_reason, v1::END_REASON_UNSPECIFIED);
    if (result->end_reason == v1::OK) {
      EXPECT_EQ(expected, v1::OK) << "a program that never ends by itself went well";
    }
    if (result->end_reason != expected) return;
    EXPECT_GE(result->isolation_level, level_) << "a run went well without all it was to have";
    EXPECT_EQ(result->standard_output.head(), output);
  }

  // One failure each: a machine where every call fails from some point on is not worth a minute's wait for each N. An
  // interruption need not be overcome here as in the host: the supervisor blocks all signals, so there is none.
  void Loop(const std::string& what, int mode, const SandboxRequest& request, v1::EndReason expected,
            const std::string& output) {
    OutcomeTable table(what, mode, false);
    const Belongings before = SettledBelongings(runs_);
    for (int64_t n = 1;; n += StepOf(29)) {
      ASSERT_LE(n, kMostSupervisorCalls) << what << " goes on without end";
      *plan_ = {.mode = mode, .fail_at = n};
      const absl::StatusOr<SandboxResult> result = sandbox_->Run(request, Cancellation());
      const Belongings now = SettledBelongings(runs_);
      SCOPED_TRACE(what + ": call " + std::to_string(n) + ", " + plan_->failed + " " + NameOfMode(mode, false) + ": " +
                   KindOf(result) + ": " + (result.ok() ? result->detail : std::string(result.status().message())));
      EXPECT_EQ(now.Beyond(before), "");
      Check(result, expected, output);
      const bool as_ever = result.ok() && result->end_reason == expected;
      if (plan_->calls < n) {
        EXPECT_TRUE(as_ever) << "nothing failed";
        break;
      }
      table.Add(KindOf(result));
      if (EnoughFailures()) return;
    }
    EXPECT_GT(table.reached(), 0) << "the seam saw no call";
  }

  static SandboxRequest Shell(const std::string& script) {
    SandboxRequest request;
    request.arguments = {"/bin/sh", "-c", script};
    request.limits.wall = absl::Seconds(60);
    request.limits.processes = 4;
    return request;
  }

  TemporaryFolder folder_;
  const std::string runs_ = folder_ / "runs";
  failing_plan* plan_ = nullptr;
  std::unique_ptr<Sandbox> sandbox_;
  int level_ = -1;
};

TEST_P(SupervisorFailureTest, AShortRun) {
  SandboxRequest request = Shell("mkdir -p a/b; echo x > a/b/c; echo out");
  request.result_bytes = 10;
  Loop("short run", GetParam(), request, v1::OK, "out\n");
}

TEST_P(SupervisorFailureTest, ARunOfOneProcess) {
  SandboxRequest request = Shell("echo out");
  request.limits.processes = 1;
  Loop("one process", GetParam(), request, v1::OK, "out\n");
}

TEST_P(SupervisorFailureTest, ARunThatHasToBeEnded) {
  SandboxRequest request = Shell("sleep 3600 & sleep 3600 & while :; do :; done");
  request.limits.wall = absl::Milliseconds(40);
  Loop("endless run", GetParam(), request, v1::WALL_LIMIT, "");
}

INSTANTIATE_TEST_SUITE_P(EachWay, SupervisorFailureTest,
                         ::testing::Values(FAILING_SHORT, FAILING_INTERRUPTED, FAILING_FORBIDDEN));

}  // namespace
}  // namespace conclave
