// Hosts that die, reap other people's children, start in a bad state, or run much at once.
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <random>
#include <thread>

#include "absl/time/clock.h"
#include "tests/abuse/abuse.h"

namespace conclave {
namespace {

class HostAbuseTest : public AbuseTest {
 protected:
  // Starts abuse_host for `program`.
  pid_t StartHost(const std::string& mode, const std::string& program) {
    std::string words[] = {"abuse_host", mode, PathOf(program), temporary_folder(), program + "-" + mark()};
    char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), words[4].data(), nullptr};
    pid_t pid = -1;
    EXPECT_EQ(::posix_spawn(&pid, PathOf("abuse_host").c_str(), nullptr, nullptr, arguments, nullptr), 0);
    return pid;
  }

  // The run's own processes: those that are not the host, which has the mark among its arguments.
  bool ProgramRuns(pid_t host) {
    for (const int pid : ProcessesMarked(mark())) {
      if (pid != host) return true;
    }
    return false;
  }

  int StatusOfBareHost(const std::string& program) { return StatusOfHost("bare", program); }

  int StatusOfHost(const std::string& mode, const std::string& program) {
    int status = -1;
    ::waitpid(StartHost(mode, program), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
};

TEST_F(HostAbuseTest, KilledHostLeavesNothing) {
  const pid_t host = StartHost("forever", "sleep_forever");
  EXPECT_TRUE(Eventually([&] { return ProgramRuns(host); }));
  ::kill(host, SIGKILL);
  ::waitpid(host, nullptr, 0);
  EXPECT_TRUE(Eventually([&] { return ProcessesMarked(mark()).empty() && FilesLeft().empty(); }));
}

TEST_F(HostAbuseTest, KilledHostLeavesNothingThoughAForkOfItLives) {
  const pid_t host = StartHost("forked", "sleep_forever");
  const auto forks = [&] {
    std::vector<int> all = ProcessesMarked(mark());
    std::erase_if(all, [&](int pid) { return pid == host || ::getpgid(pid) != ::getpgrp(); });
    return all;
  };
  EXPECT_TRUE(Eventually([&] { return !forks().empty() && ProgramRuns(host); }));
  const std::vector<int> copies = forks();
  ASSERT_EQ(copies.size(), 1u);
  ::kill(host, SIGKILL);
  ::waitpid(host, nullptr, 0);
  EXPECT_TRUE(Eventually([&] { return ProcessesMarked(mark()) == copies && FilesLeft().empty(); }));
  ::kill(copies[0], SIGKILL);
  EXPECT_TRUE(Eventually([&] { return ProcessesMarked(mark()).empty(); }));
}

TEST_F(HostAbuseTest, BareHostGrantsTheRightDescriptors) { EXPECT_EQ(StatusOfBareHost("list_descriptors"), 0); }

TEST_F(HostAbuseTest, BareHostStartsProgramsInACleanState) { EXPECT_EQ(StatusOfBareHost("print_state"), 0); }

TEST_F(HostAbuseTest, LayerThatTheMachineLacksIsRefusedOrReported) {
  // 4: the refusal does not name the layer; 5: no run one level below; 6: that run does not say what it lacks.
  if (BestLevel() >= 1) {
    EXPECT_EQ(StatusOfHost("without-landlock", "read_input"), 0);
  }
  if (BestLevel() >= 2) {
    EXPECT_EQ(StatusOfHost("without-namespaces", "read_input"), 0);
  }
}

TEST_F(HostAbuseTest, ExitIsRightWhenTheHostIgnoresItsChildren) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const SandboxResult result = Run(Program("end_with", {"exit", "42"}));
  std::signal(SIGCHLD, before);
  EXPECT_EQ(result.exit_code, 42) << result.detail;
}

TEST_F(HostAbuseTest, ExitIsRightWhenAnotherThreadReapsAnyChild) {
  std::atomic<bool> done{false};
  std::thread thief([&] {
    while (!done) {
      if (::waitpid(-1, nullptr, WNOHANG) <= 0) std::this_thread::yield();
    }
  });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Run(Program("end_with", {"exit", std::to_string(i)})).exit_code, i);
  done = true;
  thief.join();
}

TEST_F(HostAbuseTest, ManyRunsAtOnceLeaveNothing) {
  Run(Program("end_with", {"exit", "0"}));  // whatever is opened once is open now
  std::vector<SandboxRequest> requests;
  for (int i = 0; i < 200; ++i) requests.push_back(Program("end_with", {"exit", std::to_string(i)}));
  const int descriptors = OpenDescriptors();
  const int threads_before = Threads();
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < requests.size(); ++i) {
    threads.emplace_back([&, i] {
      absl::StatusOr<SandboxResult> result = sandbox().Run(requests[i], Cancellation());
      right += result.ok() && result->exit_code == static_cast<int>(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 200);
  EXPECT_EQ(OpenDescriptors(), descriptors);
  EXPECT_EQ(Threads(), threads_before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a zombie is left";
}

TEST_F(HostAbuseTest, CancellingAtAnyInstantEndsTheRunOnce) {
  std::mt19937 random(20240229);
  std::uniform_int_distribution<int> microseconds(0, 15'000);
  SandboxRequest request = Program("fork_bomb");
  request.limits.processes = 1000;
  request.limits.threads = 1000;
  request.limits.cpu = absl::Seconds(4);
  for (int i = 0; i < 40; ++i) {
    const CancellationSource source;
    const int wait = microseconds(random);
    std::thread canceller([&] {
      absl::SleepFor(absl::Microseconds(wait));
      source.Cancel();
    });
    const SandboxResult result = Run(request, source.token());
    canceller.join();
    EXPECT_TRUE(result.end_reason == v1::CANCELLED || result.end_reason == v1::PROCESS_LIMIT ||
                result.end_reason == v1::MEMORY_LIMIT)
        << i << ": " << result.detail;
  }
}

TEST_F(HostAbuseTest, CancelledBeforeItBeginsStartsNothing) {
  const CancellationSource source;
  source.Cancel();
  const SandboxResult result = Run(Program("spin"), source.token());
  EXPECT_EQ(result.end_reason, v1::CANCELLED);
  EXPECT_FALSE(result.usage.has_wall_us());
}

}  // namespace
}  // namespace conclave
