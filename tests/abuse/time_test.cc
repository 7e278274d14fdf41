// Programs that do not end by themselves.
#include "absl/time/clock.h"
#include "tests/abuse/abuse.h"

namespace conclave {
namespace {

using TimeAbuseTest = AbuseTest;

TEST_F(TimeAbuseTest, BusyLoopEndsAtTheCpuLimit) {
  SandboxRequest request = Program("spin");
  request.limits.cpu = absl::Milliseconds(300);
  const SandboxResult result = Run(request);
  EXPECT_EQ(result.end_reason, v1::CPU_LIMIT) << result.detail;
  EXPECT_EQ(result.signal, 9);
  EXPECT_NE(result.detail.find("CPU limit of 300ms"), std::string::npos) << result.detail;
  EXPECT_GE(result.usage.cpu_user_us() + result.usage.cpu_system_us(), 250'000);
}

TEST_F(TimeAbuseTest, BusyLoopEndsAtTheWallLimitWhenThatComesFirst) {
  SandboxRequest request = Program("spin");
  request.limits.wall = absl::Milliseconds(200);
  EXPECT_EQ(Run(request).end_reason, v1::WALL_LIMIT);
}

TEST_F(TimeAbuseTest, SleeperEndsAtTheWallLimit) {
  SandboxRequest request = Program("sleep_forever");
  request.limits.wall = absl::Milliseconds(200);
  const SandboxResult result = Run(request);
  EXPECT_EQ(result.end_reason, v1::WALL_LIMIT) << result.detail;
  EXPECT_NE(result.detail.find("wall limit of 200ms"), std::string::npos) << result.detail;
  EXPECT_EQ(result.detail.find("stopped"), std::string::npos) << result.detail;
}

TEST_F(TimeAbuseTest, StoppedProgramEndsAtTheWallLimitAndIsCalledStopped) {
  SandboxRequest request = Program("stop_self");
  request.limits.wall = absl::Seconds(2);  // on a busy machine, too, it has stopped itself by then
  const SandboxResult result = Run(request);
  EXPECT_EQ(result.end_reason, v1::WALL_LIMIT);
  EXPECT_NE(result.detail.find("stopped"), std::string::npos) << result.detail;
}

TEST_F(TimeAbuseTest, IgnoringSignalsDoesNotHelp) {
  SandboxRequest request = Program("ignore_and_spin");
  request.limits.cpu = absl::Milliseconds(200);
  EXPECT_EQ(Run(request).end_reason, v1::CPU_LIMIT);
}

TEST_F(TimeAbuseTest, CpuOfChildrenThatEndedCounts) {
  SandboxRequest request = Program("children_in_turn", {"160"});
  request.limits.cpu = absl::Milliseconds(400);
  request.limits.processes = 2;
  EXPECT_EQ(Run(request).end_reason, v1::CPU_LIMIT);
}

TEST_F(TimeAbuseTest, CpuOfChildrenThatNobodyWaitsForCounts) {
  SandboxRequest request = Program("children_in_turn", {"160", "unwaited"});
  request.limits.cpu = absl::Milliseconds(400);
  request.limits.processes = 2;
  EXPECT_EQ(Run(request).end_reason, v1::CPU_LIMIT);
}

TEST_F(TimeAbuseTest, DeadlineEndsTheRun) {
  SandboxRequest request = Program("sleep_forever");
  request.deadline = absl::Now() + absl::Milliseconds(200);
  EXPECT_EQ(Run(request).end_reason, v1::DEADLINE);
}

TEST_F(TimeAbuseTest, DeadlineInThePastStartsNothing) {
  SandboxRequest request = Program("sleep_forever");
  request.deadline = absl::Now() - absl::Seconds(1);
  const SandboxResult result = Run(request);
  EXPECT_EQ(result.end_reason, v1::DEADLINE);
  EXPECT_FALSE(result.usage.has_wall_us());
}

}  // namespace
}  // namespace conclave
