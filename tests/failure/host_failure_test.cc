// Every call that the host makes for a run fails once, for every call and in every way it can.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "lib/base/descriptor.h"
#include "lib/sandbox/budget.h"
#include "lib/sandbox/private_folder.h"
#include "lib/sandbox/process_sandbox.h"
#include "lib/sandbox/spawn.h"
#include "lib/sandbox/supervisor_image.h"
#include "tests/failure/belongings.h"
#include "tests/failure/nth_failure.h"
#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

constexpr int kMostCalls = 5000;  // far beyond what a run takes: a loop that goes on so long never ends

// What a piece of work came to.
struct Came {
  std::string kind;
  std::string message;       // says what and why, unless it went as it should
  bool went_well = false;    // as without any failure
  bool told_folder = false;  // it said that its folder stays
};

Came CameTo(const absl::Status& status, const std::string& kind_when_ok = "ok") {
  if (status.ok()) return {.kind = kind_when_ok, .went_well = true};
  return {.kind = "status " + std::string(absl::StatusCodeToString(status.code())), .message = std::string(status.message())};
}

class HostFailureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    AdoptOrphans();
    ASSERT_EQ(::chmod(folder_.path().c_str(), 0711), 0);  // the run's user passes through
    // What is required is what can be had, so that a failure that took some of it away cannot end as a success.
    absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = Create("", {0, 3});
    ASSERT_TRUE(sandbox.ok()) << sandbox.status();
    absl::StatusOr<SandboxCapabilities> can = (*sandbox)->Probe();
    ASSERT_TRUE(can.ok()) << can.status();
    level_ = can->isolation_level;
    // What the first use of a thing allocates for good is no leak: libraries, locales, the sanitizers' own.
    failing_plan none = {};
    failing_calls_follow(&none);
    CameOf((*sandbox)->Run(Shell("true"), Cancellation()), v1::OK);
    failing_calls_follow(nullptr);
  }

  absl::StatusOr<std::unique_ptr<Sandbox>> Create(const std::string& supervisor, Isolation isolation) {
    ProcessSandboxOptions options;
    options.supervisor_path = supervisor;
    options.temporary_folder = folder_.path();
    options.isolation = isolation;
    return CreateProcessSandbox(options);
  }

  static SandboxRequest Shell(const std::string& script) {
    SandboxRequest request;
    request.arguments = {"/bin/sh", "-c", script};
    request.limits.wall = absl::Seconds(60);
    request.limits.processes = 4;
    return request;
  }

  Came CameOf(const absl::StatusOr<SandboxResult>& result, v1::EndReason expected) {
    Came came{.kind = KindOf(result)};
    if (!result.ok()) {
      came.message = std::string(result.status().message());
      return came;
    }
    came.message = result->detail;
    came.went_well = result->end_reason == expected;
    came.told_folder = result->detail.find("private folder stays") != std::string::npos;
    if (result->end_reason == v1::OK) {
      EXPECT_GE(result->isolation_level, level_) << "a run went well without all it was to have";
    }
    return came;
  }

  // A whole run by a sandbox of its own.
  Came RunOnce(const std::string& supervisor, const SandboxRequest& request, v1::EndReason expected) {
    absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = Create(supervisor, {level_, 3});
    if (!sandbox.ok()) return CameTo(sandbox.status());
    return CameOf((*sandbox)->Run(request, Cancellation()), expected);
  }

  // Every process that was started has been reaped by whoever started it.
  static void ExpectReaped(const failing_plan& plan) {
    ASSERT_LE(plan.spawned, FAILING_PLAN_PIDS);
    for (int i = 0; i < plan.spawned; ++i) {
      EXPECT_TRUE(::waitpid(plan.pids[i], nullptr, WNOHANG) < 0 && errno == ECHILD) << "nobody waited for " << plan.pids[i];
    }
  }

  // A folder may stay only where removing it was what failed, or all failed; the next host's start removes it.
  void ExpectFolderAccountedFor(const failing_plan& plan, const Came& came, const Belongings& now) {
    if (now.entries.empty()) return;
    const std::string failed = plan.failed;
    const bool removing = failed == "rmdir" || failed == "unlinkat" || failed == "openat" || failed == "fdopendir" ||
                          failed == "readdir" || failed == "fchmod" || failed == "fchmodat" || failed == "fstatat";
    if (plan.from_then_on == 0) {
      EXPECT_TRUE(removing) << now.entries[0] << " stays though " << failed << " has no part in removing it";
      EXPECT_TRUE(came.told_folder || !came.went_well) << now.entries[0] << " stays and nobody was told";
    }
    PrivateFolder::SweepAbandoned(folder_.path());
  }

  void Loop(const std::string& what, int mode, bool from_then_on, const std::function<Came()>& work) {
    OutcomeTable table(what, mode, from_then_on);
    const Belongings before = SettledBelongings(folder_.path());
    for (int64_t n = 1;; n += StepOf(5)) {
      ASSERT_LE(n, kMostCalls) << what << " goes on without end";
      failing_plan plan = {.mode = mode, .from_then_on = from_then_on, .fail_at = n};
      failing_calls_follow(&plan);
      const Came came = work();
      failing_calls_follow(nullptr);
      SCOPED_TRACE(what + ": call " + std::to_string(n) + ", " + plan.failed + " " + NameOfMode(mode, from_then_on) + ": " +
                   came.kind + ": " + came.message);
      ExpectReaped(plan);
      Belongings now = SettledBelongings(folder_.path());
      ExpectFolderAccountedFor(plan, came, now);
      if (!now.entries.empty()) now = SettledBelongings(folder_.path());
      EXPECT_EQ(now.Beyond(before), "");
      EXPECT_TRUE(came.went_well || !came.message.empty()) << "no reason was given";
      if (mode == FAILING_INTERRUPTED) {
        EXPECT_TRUE(came.went_well) << "an interruption is no failure";
      }
      if (plan.calls < n) {
        EXPECT_TRUE(came.went_well) << "nothing failed";
        break;
      }
      table.Add(came.kind);
      if (EnoughFailures()) return;
    }
    EXPECT_GT(table.reached(), 0) << "the seam saw no call";
  }

  void LoopAllWays(const std::string& what, const std::function<Came()>& work) {
    Loop(what, FAILING_SHORT, false, work);
    Loop(what, FAILING_SHORT, true, work);
    Loop(what, FAILING_INTERRUPTED, false, work);
    Loop(what, FAILING_FORBIDDEN, false, work);
    Loop(what, FAILING_FORBIDDEN, true, work);
  }

  TemporaryFolder folder_;
  int level_ = -1;
};

TEST_F(HostFailureTest, ARunWithEverything) {
  SandboxRequest request = Shell("echo out; echo err >&2; echo result >&3; mkdir -p a/b; echo x > a/b/c; echo kept > kept");
  request.result_bytes = 100;
  request.artifacts = 2;
  LoopAllWays("run", [&] { return RunOnce("", request, v1::OK); });
}

TEST_F(HostFailureTest, ARunThatTheHostHasToStop) {
  SandboxRequest request = Shell("while :; do echo too much; done");
  request.limits.output_bytes = 1;
  LoopAllWays("flood", [&] { return RunOnce("", request, v1::OUTPUT_LIMIT); });
}

TEST_F(HostFailureTest, ASupervisorThatSaysNothing) {
  LoopAllWays("silent supervisor", [&] { return RunOnce("/bin/true", Shell("true"), v1::STATUS_LOST); });
}

TEST_F(HostFailureTest, ACancelledRun) {
  const CancellationSource source;
  SandboxRequest request = Shell("echo started; sleep 60");
  request.deadline = absl::InfiniteFuture();
  LoopAllWays("deadline", [&]() -> Came {
    absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = Create("", {level_, 3});
    if (!sandbox.ok()) return CameTo(sandbox.status());
    request.deadline = absl::Now() + absl::Milliseconds(15);
    return CameOf((*sandbox)->Run(request, source.token()), v1::DEADLINE);
  });
}

TEST_F(HostFailureTest, AFolderRemovedInTheBackground) {
  LoopAllWays("remover", [&]() -> Came {
    absl::StatusOr<SupervisorImage> image = SupervisorImage::Open("");
    if (!image.ok()) return CameTo(image.status());
    absl::StatusOr<PrivateFolder> folder = PrivateFolder::Create(folder_.path());
    if (!folder.ok()) return CameTo(folder.status());
    const absl::Status status = SpawnRemover(*image, *folder);
    if (status.ok()) folder->Disown();
    return CameTo(status);
  });
}

TEST_F(HostFailureTest, AWaitForTheBudget) {
  const Budget budget(EngineBudget{.processes = 1, .cpus = 1});
  const absl::StatusOr<Budget::Admission> held = budget.Admit(Limits(), {}, Cancellation(), absl::InfiniteFuture());
  ASSERT_TRUE(held.ok());
  LoopAllWays("budget", [&]() -> Came {
    const absl::Status status = budget.Admit(Limits(), {}, Cancellation(), absl::Now() + absl::Milliseconds(3)).status();
    EXPECT_EQ(budget.waiting(), 0u);
    Came came = CameTo(status);
    came.went_well = absl::IsDeadlineExceeded(status);
    return came;
  });
}

TEST_F(HostFailureTest, MemoryThatIsLent) {
  LoopAllWays("sealed memory", [&] { return CameTo(SealedMemory("lent", "some bytes").status()); });
  LoopAllWays("unnamed file", [&] { return CameTo(UnnamedFile("some bytes", 0400).status()); });
}

}  // namespace
}  // namespace conclave
