// The filter on this machine's kernel: what it refuses, what it ends, and that honest programs do not notice.
#include "lib/guest/supervisor/filter_install.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <vector>

namespace conclave {
namespace {

struct Ending {
  int status = 0;  // as waitpid has it
  std::string printed;
};

Ending RunUnderFilter(const std::string& level, const std::string& processes, std::vector<std::string> program) {
  program.insert(program.begin(), {CONCLAVE_FILTER_PROGRAMS "/under_filter", level, processes});
  std::vector<char*> arguments;
  for (std::string& argument : program) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  char path[] = "PATH=/usr/bin:/bin";
  char* environment[] = {path, nullptr};
  pid_t child = -1;
  EXPECT_EQ(posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environment), 0);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Ending ending;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;) {
    ending.printed.append(buffer, static_cast<size_t>(count));
  }
  close(ends[0]);
  EXPECT_EQ(waitpid(child, &ending.status, 0), child);
  return ending;
}

void ExpectSuccess(const Ending& ending) {
  EXPECT_TRUE(WIFEXITED(ending.status) && WEXITSTATUS(ending.status) == 0) << ending.status << "\n" << ending.printed;
}

const std::string kTryCalls = CONCLAVE_FILTER_PROGRAMS "/try_calls";
const std::string kAnalysis = CONCLAVE_SOURCE_DIR "/tests/guest/programs/analysis.py";

TEST(FilterInstallTest, OptionsOutOfRangeAreRefused) {
  const filter_options options = {.level = 7};
  EXPECT_EQ(filter_install(&options), EINVAL);
}

TEST(FilterInstallTest, Level1AnswersAsItsRulesSay) { ExpectSuccess(RunUnderFilter("1", "1", {kTryCalls})); }

#if defined(__x86_64__)
TEST(FilterInstallTest, A32BitCallEndsTheProcessAtLevel1AndIsUnknownAtLevel0) {
  const Ending high = RunUnderFilter("1", "1", {kTryCalls, "foreign"});
  // Machines without 32-bit calls answer the instruction with a fault before any filter is asked.
  EXPECT_TRUE(WIFSIGNALED(high.status) && (WTERMSIG(high.status) == SIGSYS || WTERMSIG(high.status) == SIGSEGV)) << high.status;
  const Ending low = RunUnderFilter("0", "1", {kTryCalls, "foreign"});
  if (WTERMSIG(high.status) == SIGSYS) {
    EXPECT_EQ(WEXITSTATUS(low.status), ENOSYS) << low.status;
  }
}
#endif

TEST(FilterInstallTest, HonestAnalysisRunsInOneProcessAtLevel1) {
  ExpectSuccess(RunUnderFilter("1", "1", {"/usr/bin/python3", "-B", kAnalysis}));
}

TEST(FilterInstallTest, HonestProgramsStartOthersAtLevel1WhenTheyMay) {
  ExpectSuccess(RunUnderFilter("1", "several", {"/usr/bin/python3", "-B", "-c", R"(
import multiprocessing, os, subprocess
subprocess.run(["/bin/sh", "-c", "true | true"], check=True)
sleeper = subprocess.Popen(["/bin/sleep", "60"])
sleeper.terminate()
assert sleeper.wait() == -15
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(abs, [-1, -2]) == [1, 2]
)"}));
}

}  // namespace
}  // namespace conclave
