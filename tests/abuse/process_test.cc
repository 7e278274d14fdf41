// Programs that multiply, outlive their parents, or attack their keeper.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/abuse/abuse.h"

namespace conclave {
namespace {

using ProcessAbuseTest = AbuseTest;

// Children of this process: while something runs, its supervisor.
std::vector<int> OwnChildren() {
  std::vector<int> pids;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(thread.path() / "children");
    for (int pid = 0; children >> pid;) pids.push_back(pid);
  }
  return pids;
}

TEST_F(ProcessAbuseTest, ForkBombEndsAtTheProcessLimit) {
  SandboxRequest request = Program("fork_bomb");
  request.limits.processes = 4;
  const SandboxResult result = Run(request);
  EXPECT_EQ(result.end_reason, v1::PROCESS_LIMIT) << result.detail;
  EXPECT_NE(result.detail.find("limit of 4 processes"), std::string::npos) << result.detail;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  EXPECT_GT(child, 0) << "the host can no longer start processes";
  ::waitpid(child, nullptr, 0);
}

TEST_F(ProcessAbuseTest, ForkBombOfOneProcessNeverGetsASecond) {
  SandboxRequest request = Program("fork_bomb");
  request.limits.cpu = absl::Milliseconds(200);
  const SandboxResult result = Run(request);
  EXPECT_EQ(result.end_reason, v1::CPU_LIMIT) << result.detail;
  EXPECT_EQ(result.usage.processes_peak(), 1);
}

TEST_F(ProcessAbuseTest, SecondProcessIsRefusedWithoutEndingTheRun) {
  const SandboxResult result = Run(Program("fork_once"));
  EXPECT_EQ(result.end_reason, v1::OK) << result.detail;
}

TEST_F(ProcessAbuseTest, DaemonDiesWithTheRun) {
  SandboxRequest request = Program("daemonize");
  request.limits.processes = 4;
  const SandboxResult result = Run(request);
  EXPECT_EQ(result.exit_code, 5) << result.detail;
  EXPECT_NE(result.detail.find("1 process it left behind"), std::string::npos) << result.detail;
}

TEST_F(ProcessAbuseTest, DaemonThatKeepsForkingDiesWithTheRun) {
  SandboxRequest request = Program("refork");
  request.limits.processes = 8;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Run(request).exit_code, 5);
}

TEST_F(ProcessAbuseTest, ThreadsEndAtTheirLimit) {
  SandboxRequest request = Program("many_threads");
  request.limits.threads = 20;
  const SandboxResult result = Run(request);
  if (IsRoot() || BestLevel() >= 2) {
    // The uid, or the user namespace, is the run's own, so the kernel can count: the thread beyond the limit is refused.
    EXPECT_EQ(result.exit_code, 9) << result.detail;
    EXPECT_LE(result.usage.threads_peak(), 20);
  } else {
    EXPECT_EQ(result.end_reason, v1::PROCESS_LIMIT) << result.detail;
  }
}

TEST_F(ProcessAbuseTest, DescriptorsEndAtTheirLimit) { EXPECT_EQ(Run(Program("many_descriptors")).exit_code, 24); }

TEST_F(ProcessAbuseTest, NothingThatWasGivenUpComesBack) {
  const SandboxResult result = Run(Program("raise_limits"));
  EXPECT_EQ(result.end_reason, v1::OK) << result.detail;
}

TEST_F(ProcessAbuseTest, NamespacesAndMountsOfItsOwnAreRefused) {
  for (const SandboxResult& result : RunAloneAndInCompany("make_namespaces")) {
    EXPECT_EQ(result.end_reason, v1::OK) << "the exit status is the way that worked; " << result.detail;
    ASSERT_GT(result.layers.size(), 2u);
    EXPECT_EQ(result.layers[2].name(), "no_capabilities");
    EXPECT_NE(result.layers[2].detail().find("unshare(CLONE_NEWUSER): Operation not permitted"), std::string::npos)
        << result.layers[2].detail();
  }
}

TEST_F(ProcessAbuseTest, SupervisorCannotBeKilledByItsRun) {
  for (const SandboxResult& result : RunAloneAndInCompany("kill_supervisor")) {
    EXPECT_EQ(result.end_reason, v1::EXIT_NONZERO) << result.detail;
    EXPECT_EQ(result.exit_code, 6) << "another number is the way that worked; " << result.detail;
  }
}

TEST_F(ProcessAbuseTest, FamilyDiesThoughItsSupervisorIsKilledFromOutside) {
  SandboxRequest request = Program("family");
  request.limits.processes = 8;
  std::thread outsider([&] {
    EXPECT_TRUE(Eventually([&] { return ProcessesMarked(mark()).size() == 4; }));
    for (const int pid : OwnChildren()) ::kill(pid, SIGKILL);
  });
  const SandboxResult result = Run(request);
  outsider.join();
  EXPECT_EQ(result.end_reason, v1::STATUS_LOST) << result.detail;
}

TEST_F(ProcessAbuseTest, EveryExitStatusIsReported) {
  for (int status = 0; status < 256; ++status) {
    const SandboxResult result = Run(Program("end_with", {"exit", std::to_string(status)}));
    ASSERT_EQ(result.end_reason, status == 0 ? v1::OK : v1::EXIT_NONZERO) << result.detail;
    ASSERT_EQ(result.exit_code, status);
  }
}

TEST_F(ProcessAbuseTest, EveryFatalSignalIsReported) {
  for (const int number : {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT,   SIGBUS,    SIGFPE,  SIGKILL, SIGUSR1,
                           SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR}) {
    const SandboxResult result = Run(Program("end_with", {"signal", std::to_string(number)}));
    EXPECT_EQ(result.end_reason, v1::SIGNAL) << result.detail;
    EXPECT_EQ(result.signal, number) << result.detail;
  }
  EXPECT_EQ(Run(Program("end_with", {"signal", std::to_string(SIGXCPU)})).end_reason, v1::CPU_LIMIT);
  EXPECT_EQ(Run(Program("end_with", {"signal", std::to_string(SIGXFSZ)})).end_reason, v1::FILE_SIZE_LIMIT);
  // From level 1 on it means a system call that ends its program.
  const SandboxResult filtered = Run(Program("end_with", {"signal", std::to_string(SIGSYS)}));
  EXPECT_EQ(filtered.end_reason, filtered.isolation_level >= 1 ? v1::POLICY_VIOLATION : v1::SIGNAL) << filtered.detail;
}

TEST_F(ProcessAbuseTest, AbortLeavesNoCoreFile) {
  SandboxRequest request = Program("end_with", {"signal", std::to_string(SIGABRT)});
  request.artifacts = 10;
  const SandboxResult result = Run(request);
  EXPECT_EQ(result.signal, SIGABRT);
  EXPECT_TRUE(result.artifacts.empty());
}

}  // namespace
}  // namespace conclave
