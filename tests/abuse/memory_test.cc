// Programs that take more memory than they may.
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "tests/abuse/abuse.h"

namespace conclave {
namespace {

using MemoryAbuseTest = AbuseTest;

TEST_F(MemoryAbuseTest, PrivateMemoryIsRefusedAtTheLimitOrEndsTheRun) {
  const SandboxResult result = Run(Program("eat_memory"));
  EXPECT_TRUE(result.end_reason == v1::MEMORY_LIMIT || (result.end_reason == v1::EXIT_NONZERO && result.exit_code == 12))
      << result.detail;
  EXPECT_LE(result.usage.memory_peak_bytes(), 65 << 20);
}

TEST_F(MemoryAbuseTest, SharedMemoryEndsTheRun) {
  const SandboxResult result = Run(Program("eat_memory", {"shared"}));
  EXPECT_EQ(result.end_reason, v1::MEMORY_LIMIT) << result.detail;
  EXPECT_NE(result.detail.find("memory limit of 64 MB exceeded"), std::string::npos) << result.detail;
}

TEST_F(MemoryAbuseTest, MemoryThatWouldOutliveTheRunIsRefused) {
  for (const SandboxResult& result : RunAloneAndInCompany("lasting_memory")) {
    EXPECT_EQ(result.end_reason, v1::OK) << result.detail;
  }
}

// An ordinary user's files cannot be told from the run's, which uncounted.md says.
TEST_F(MemoryAbuseTest, FilesInMemoryGoWithARunThatHasAUidOfItsOwn) {
  UseLevel(0);  // higher ones refuse it
  const SandboxResult result = Run(Program("named_memory"));
  ASSERT_EQ(result.end_reason, v1::OK) << result.detail;
  const std::vector<std::string> paths = absl::StrSplit(result.standard_output.head(), '\n', absl::SkipEmpty());
  ASSERT_EQ(paths.size(), 2u) << result.standard_output.head();
  for (const std::string& path : paths) {
    EXPECT_EQ(::access(path.c_str(), F_OK) == 0, !IsRoot()) << path;
    std::filesystem::remove_all(path);
  }
}

TEST_F(MemoryAbuseTest, MemoryOfAllProcessesCountsTogether) {
  SandboxRequest request = Program("children_eat", {"50"});
  request.limits.processes = 5;
  EXPECT_EQ(Run(request).end_reason, v1::MEMORY_LIMIT);
}

TEST_F(MemoryAbuseTest, HugeReservationIsRefused) {
  const SandboxResult result = Run(Program("reserve"));
  EXPECT_EQ(result.exit_code, 12) << result.detail;
}

TEST_F(MemoryAbuseTest, SpinningForWantOfAddressSpaceIsNoPlainTimeLimit) {
  SandboxRequest request = Program("hang_without_space");
  request.limits.wall = absl::Seconds(2);  // on a busy machine, too, it spins by then
  const SandboxResult result = Run(request);
  EXPECT_EQ(result.end_reason, v1::MEMORY_SUSPECTED) << result.detail;
  EXPECT_NE(result.detail.find("wall limit"), std::string::npos) << result.detail;
}

TEST_F(MemoryAbuseTest, EndlessRecursionIsASegmentationFault) {
  const SandboxResult result = Run(Program("recurse"));
  EXPECT_EQ(result.end_reason, v1::SIGNAL) << result.detail;
  EXPECT_EQ(result.signal, SIGSEGV);
}

TEST_F(MemoryAbuseTest, FilesInMemoryAndWhereToParkThemAreRefused) {
  for (const SandboxResult& result : RunAloneAndInCompany("park_memory")) {
    EXPECT_EQ(result.end_reason, v1::OK) << "the exit status is the way that worked; " << result.detail;
  }
}

TEST_F(MemoryAbuseTest, PlacesThatNobodyLooksAtAreRefused) {
  for (const SandboxResult& result : RunAloneAndInCompany("hold_unseen")) {
    EXPECT_EQ(result.end_reason, v1::OK) << "the exit status is the way that worked; " << result.detail;
  }
}

TEST_F(MemoryAbuseTest, MemoryOfAProcessWhoseFirstThreadEndedCounts) {
  SandboxRequest request = Program("leave_leader", {"memory"});
  request.limits.processes = 4;
  const SandboxResult result = Run(request);
  EXPECT_EQ(result.end_reason, v1::MEMORY_LIMIT) << result.detail;
}

}  // namespace
}  // namespace conclave
