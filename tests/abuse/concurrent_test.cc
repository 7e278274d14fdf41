// Two runs at the same time, one of which attacks the other: its folder, its process, its memory and its result.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/abuse/abuse.h"
#include "tests/abuse/record.h"

namespace conclave {
namespace {

class ConcurrentRunsTest : public AbuseTest, public ::testing::WithParamInterface<int> {
 protected:
  struct Sibling {
    std::string pid, folder, address;
  };

  void SetUp() override {
    AbuseTest::SetUp();
    UseLevel(GetParam());
  }

  // Reads a line: where the folder and the word in memory are.
  Sibling Meet(int told) {
    Sibling sibling;
    std::string line;
    for (char byte; ::read(told, &byte, 1) == 1 && byte != '\n';) line.push_back(byte);
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    EXPECT_EQ(words.size(), 2u) << line;
    if (words.size() != 2) return sibling;
    const std::vector<int> pids = ProcessesMarked(mark());
    EXPECT_EQ(pids.size(), 1u);
    return {pids.empty() ? "" : std::to_string(pids.front()), words[0], words[1]};
  }
};

TEST_P(ConcurrentRunsTest, CannotReachEachOther) {
  int told[2], held[2];
  ASSERT_EQ(::pipe2(told, O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(held, O_CLOEXEC), 0);
  const Descriptor from_sibling(told[0]);
  Descriptor tells(told[1]), waits(held[0]), holds(held[1]);
  SandboxRequest request = Program("be_sibling");
  request.descriptors = {{tells.get(), 4}, {waits.get(), 6}};
  request.result_descriptor = 5;
  request.result_bytes = 100;
  absl::StatusOr<SandboxResult> attacked = absl::UnknownError("did not run");
  std::thread run([&] { attacked = sandbox().Run(request, Cancellation()); });
  const Sibling sibling = Meet(from_sibling.get());

  // The attacker's own leftovers are looked for when both have ended.
  const absl::StatusOr<SandboxResult> attack =
      sandbox().Run(Program("attack_sibling", {sibling.pid, sibling.folder, sibling.address}), Cancellation());
  holds.Reset();
  run.join();
  ASSERT_TRUE(attack.ok()) << attack.status();
  ASSERT_TRUE(attacked.ok()) << attacked.status();
  const std::string said = attack->standard_output.head();
  EXPECT_EQ(attack->isolation_level, GetParam());
  EXPECT_GE(std::count(said.begin(), said.end(), '\n'), 16) << said << attack->detail;
  const std::vector<std::string> lines = absl::StrSplit(said, '\n', absl::SkipEmpty());
  for (const std::string& line : lines) {
    const std::vector<std::string> words = absl::StrSplit(line, ": ");
    RecordLine("concurrent", absl::StrCat("| ", words[0], " | ", GetParam(), " | ", words.back(), " |"));
  }
  if (GetParam() == 0 && !IsRoot()) {
    // Both are the host's user, and nothing but that user's permissions is between them.
    EXPECT_EQ(attack->exit_code, 1) << said;
    return;
  }
  EXPECT_EQ(attacked->end_reason, v1::OK) << attacked->detail;
  EXPECT_EQ(attacked->result, "answer");
  if (GetParam() == 1 && !IsRoot()) {
    // Landlock has no say on chdir; there is nothing that could be opened from there.
    const auto done = [](const std::string& line) { return line.ends_with(": done"); };
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(), done), 1) << said;
    EXPECT_EQ(attack->exit_code, 5) << said;
    return;
  }
  EXPECT_EQ(attack->end_reason, v1::OK) << said;
}

class ConcurrentLevels : public AbuseTest {
 public:
  using AbuseTest::Levels;
};

INSTANTIATE_TEST_SUITE_P(Levels, ConcurrentRunsTest, ::testing::ValuesIn(ConcurrentLevels::Levels()),
                         [](const auto& level) { return absl::StrCat("L", level.param); });

}  // namespace
}  // namespace conclave
