#include "lib/sandbox/outcome.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace conclave {
namespace {

SandboxRequest RequestOfTrue() {
  SandboxRequest request;
  request.arguments = {"/bin/true"};
  return request;
}

Observation Ended(conclave_cause cause, const conclave_end& end = {}) {
  Observation seen(4096);
  conclave_message message = {};
  message.kind = CONCLAVE_MESSAGE_ENDED;
  message.code = cause;
  message.body.end = end;
  seen.last = message;
  return seen;
}

Observation Failed(conclave_step step, int error, const char* what = "") {
  Observation seen(4096);
  conclave_message message = {};
  message.kind = CONCLAVE_MESSAGE_FAILED;
  message.code = step;
  message.error = error;
  std::strcpy(message.body.text, what);
  seen.last = message;
  return seen;
}

SandboxResult Judge(Observation seen, bool cancelled = false) {
  absl::StatusOr<SandboxResult> result = Conclude(RequestOfTrue(), std::move(seen), 0, 0, cancelled);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : SandboxResult();
}

v1::LayerState Layer(const char* name, bool achieved, const char* detail) {
  v1::LayerState state;
  state.set_name(name);
  state.set_achieved(achieved);
  state.set_detail(detail);
  return state;
}

TEST(OutcomeTest, LostSupervisorIsStatusLost) {
  const SandboxResult result = Judge(Observation(4096));
  EXPECT_EQ(result.end_reason, v1::STATUS_LOST);
  EXPECT_EQ(result.isolation_level, -1);
}

TEST(OutcomeTest, MissingLayerIsAStatusThatNamesItAndTheWayOut) {
  Observation seen = Failed(CONCLAVE_STEP_CANARIES, EPERM);
  seen.layers = {Layer("rlimits", true, "fine"), Layer("no_capabilities", false, "CapBnd ffff")};
  const absl::Status status = Conclude(RequestOfTrue(), std::move(seen), 0, 0, false).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  for (const char* part : {"no_capabilities", "CapBnd ffff", "ordinary user"}) {
    EXPECT_NE(std::string(status.message()).find(part), std::string::npos) << status;
  }
  const absl::Status folder =
      Conclude(RequestOfTrue(), Failed(CONCLAVE_STEP_FOLDER_REACHABLE, EACCES, "/root/x"), 0, 0, false).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(folder));
  EXPECT_NE(std::string(folder.message()).find("/root/x"), std::string::npos) << folder;
}

TEST(OutcomeTest, ProgramThatCannotBeStartedIsLaunchFailed) {
  const SandboxResult result = Judge(Failed(CONCLAVE_STEP_EXEC, EACCES, "/bin/true"));
  EXPECT_EQ(result.end_reason, v1::LAUNCH_FAILED);
  EXPECT_NE(result.detail.find("executable"), std::string::npos) << result.detail;
}

TEST(OutcomeTest, SupervisorOfAnotherVersionIsNamed) {
  const absl::Status status = Conclude(RequestOfTrue(), Failed(CONCLAVE_STEP_POLICY, EPROTO, "version"), 0, 0, false).status();
  EXPECT_NE(std::string(status.message()).find("another version"), std::string::npos) << status;
}

TEST(OutcomeTest, CausesHaveTheirReasons) {
  const struct {
    conclave_cause cause;
    v1::EndReason reason;
  } cases[] = {{CONCLAVE_CAUSE_EXITED, v1::OK},
               {CONCLAVE_CAUSE_WALL, v1::WALL_LIMIT},
               {CONCLAVE_CAUSE_CPU, v1::CPU_LIMIT},
               {CONCLAVE_CAUSE_MEMORY, v1::MEMORY_LIMIT},
               {CONCLAVE_CAUSE_DISK_BYTES, v1::DISK_LIMIT},
               {CONCLAVE_CAUSE_DISK_INODES, v1::DISK_LIMIT},
               {CONCLAVE_CAUSE_DISK_DEPTH, v1::DISK_LIMIT},
               {CONCLAVE_CAUSE_PROCESSES, v1::PROCESS_LIMIT},
               {CONCLAVE_CAUSE_THREADS, v1::PROCESS_LIMIT},
               {CONCLAVE_CAUSE_DEADLINE, v1::DEADLINE},
               {CONCLAVE_CAUSE_CANCELLED, v1::CANCELLED},
               {CONCLAVE_CAUSE_OUTPUT, v1::OUTPUT_LIMIT},
               {CONCLAVE_CAUSE_HOST_GONE, v1::HOST_SHUTDOWN}};
  for (const auto& item : cases) {
    const SandboxResult result = Judge(Ended(item.cause));
    EXPECT_EQ(result.end_reason, item.reason) << item.cause;
    EXPECT_FALSE(result.detail.empty());
  }
}

TEST(OutcomeTest, ProgramThatEndedBeforeTheCancellationArrivedIsNotCancelled) {
  EXPECT_EQ(Judge(Ended(CONCLAVE_CAUSE_EXITED), true).end_reason, v1::OK);
}

TEST(OutcomeTest, KillByTheKernelsCpuLimitIsACpuLimit) {
  conclave_end end = {};
  end.signal = SIGKILL;
  EXPECT_EQ(Judge(Ended(CONCLAVE_CAUSE_EXITED, end)).end_reason, v1::SIGNAL);
  end.cpu_user_us = 30'000'000;
  EXPECT_EQ(Judge(Ended(CONCLAVE_CAUSE_EXITED, end)).end_reason, v1::CPU_LIMIT);
}

// Who sent a signal is not known; that it was not Conclave is.
TEST(OutcomeTest, AKillOfAnotherSenderIsNotBlamedOnTheOutside) {
  conclave_end end = {};
  end.signal = SIGKILL;
  const std::string detail = Judge(Ended(CONCLAVE_CAUSE_EXITED, end)).detail;
  for (const char* part : {"SIGKILL, which Conclave did not send", "the program itself", "out-of-memory killer"}) {
    EXPECT_NE(detail.find(part), std::string::npos) << detail;
  }
  EXPECT_EQ(detail.find("from outside"), std::string::npos) << detail;
}

TEST(OutcomeTest, LimitsAreToldAsGivenAndMeasurementsInThreeDigits) {
  SandboxRequest request = RequestOfTrue();
  request.limits.wall = absl::Milliseconds(5);
  conclave_end end = {};
  end.seen = 5'018'123;
  const absl::StatusOr<SandboxResult> result = Conclude(request, Ended(CONCLAVE_CAUSE_WALL, end), 0, 0, false);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->detail, "wall limit of 5ms reached after 5ms");
  EXPECT_EQ(MeasuredText(0), "0ms");
  EXPECT_EQ(MeasuredText(412'345), "0.412ms");
  EXPECT_EQ(MeasuredText(5'018'123), "5ms");
  EXPECT_EQ(MeasuredText(999'600'000), "1s");
  EXPECT_EQ(MeasuredText(60'012'345'678), "60s");
  EXPECT_EQ(MeasuredText(1'234'567'890), "1.23s");
  EXPECT_EQ(MeasuredText(125'012'345'678), "2m5s");
}

TEST(OutcomeTest, TimeLimitWithAFullAddressSpaceIsMemorySuspected) {
  conclave_end end = {};
  end.address_peak_bytes = 2000LL << 20;
  EXPECT_EQ(Judge(Ended(CONCLAVE_CAUSE_WALL, end)).end_reason, v1::MEMORY_SUSPECTED);
  EXPECT_EQ(Judge(Ended(CONCLAVE_CAUSE_CPU, end)).end_reason, v1::MEMORY_SUSPECTED);
  end.address_peak_bytes = 1900LL << 20;
  EXPECT_EQ(Judge(Ended(CONCLAVE_CAUSE_WALL, end)).end_reason, v1::WALL_LIMIT);
}

TEST(OutcomeTest, WhatCouldNotBeMeasuredIsAbsent) {
  conclave_end end = {};
  end.wall_ns = 5'000'000;
  end.memory_peak_bytes = -1;
  end.disk_bytes = -1;
  const SandboxResult result = Judge(Ended(CONCLAVE_CAUSE_EXITED, end));
  EXPECT_EQ(result.usage.wall_us(), 5000);
  EXPECT_FALSE(result.usage.has_memory_peak_bytes());
  EXPECT_FALSE(result.usage.has_disk_bytes());
}

TEST(OutcomeTest, BytesReadWell) {
  EXPECT_EQ(BytesText(1), "1 byte");
  EXPECT_EQ(BytesText(1000), "1000 bytes");
  EXPECT_EQ(BytesText(64 << 20), "64 MB");
  EXPECT_EQ(BytesText(3LL << 29), "1.5 GB");
}

}  // namespace
}  // namespace conclave
