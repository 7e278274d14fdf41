// A thousand real runs submitted at once, through the budget, of jobs that take turns.
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "lib/sandbox/budget.h"
#include "lib/sandbox/process_sandbox.h"
#include "tests/failure/belongings.h"
#include "tests/failure/failing_calls.h"
#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

constexpr int kSubmitters = 64;
constexpr int kRunsEach = 16;

TEST(ThousandRunsTest, LeaveNothing) {
  AdoptOrphans();
  const TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0711), 0);
  ProcessSandboxOptions options;
  options.temporary_folder = folder.path();
  options.isolation = {0, 3};
  absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox(options);
  ASSERT_TRUE(sandbox.ok()) << sandbox.status();
  SandboxRequest request;
  request.arguments = {"/bin/true"};
  ASSERT_TRUE((*sandbox)->Run(request, Cancellation()).ok());

  const Budget budget(EngineBudget{.cpus = 8});
  std::thread([] {}).join();  // ThreadSanitizer starts a thread of its own with the first
  const Belongings before = SettledBelongings(folder.path());
  std::atomic<int> went_well{0};
  std::atomic<int> cancelled{0};
  std::atomic<int> unreaped{0};
  std::vector<std::thread> submitters;
  for (int i = 0; i < kSubmitters; ++i) {
    submitters.emplace_back([&, i] {
      failing_plan seen = {};  // nothing fails; what was started is noted
      failing_calls_follow(&seen);
      const void* const job = &submitters + i % 8;
      const std::unique_ptr<Sandbox> queued = CreateBudgetedSandbox(**sandbox, budget, {job, [](const QueueStanding&) {}});
      for (int round = 0; round < kRunsEach; ++round) {
        const CancellationSource source;
        if ((i + round) % 9 == 0) source.Cancel();
        const absl::StatusOr<SandboxResult> result = queued->Run(request, source.token());
        EXPECT_TRUE(result.ok()) << result.status();
        if (!result.ok()) continue;
        EXPECT_TRUE(result->end_reason == v1::OK || result->end_reason == v1::CANCELLED) << result->detail;
        (result->end_reason == v1::OK ? went_well : cancelled) += 1;
      }
      failing_calls_follow(nullptr);
      for (int n = 0; n < seen.spawned && n < FAILING_PLAN_PIDS; ++n) {
        if (::waitpid(seen.pids[n], nullptr, WNOHANG) >= 0 || errno != ECHILD) ++unreaped;
      }
    });
  }
  for (std::thread& submitter : submitters) submitter.join();
  EXPECT_EQ(went_well + cancelled, kSubmitters * kRunsEach);
  EXPECT_GT(went_well, 0);
  EXPECT_GT(cancelled, 0);
  EXPECT_EQ(unreaped, 0);
  EXPECT_EQ(budget.waiting(), 0u);
  EXPECT_EQ(SettledBelongings(folder.path()).Beyond(before), "");
}

}  // namespace
}  // namespace conclave
