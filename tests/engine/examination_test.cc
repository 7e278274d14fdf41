// What the doctor makes of machines that have all levels of isolation, some, or none.
#include "lib/engine/examination.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/sandbox/layers.h"
#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

// A machine whose sandboxes reach `most` and no more, and refuse what requires more.
ProbeIsolation MachineWith(int most) {
  return [most](const Isolation& isolation) -> absl::StatusOr<SandboxCapabilities> {
    if (isolation.required > most) {
      return absl::FailedPreconditionError(absl::StrCat("required layer of level ", most + 1, " cannot be had: why; way out"));
    }
    SandboxCapabilities capabilities = {std::min(most, isolation.preferred), {}, "embedded"};
    for (int level = 0; level <= isolation.preferred; ++level) {
      for (const Layer& layer : LayersOfLevel(level)) {
        v1::LayerState& state = capabilities.layers.emplace_back();
        state.set_name(std::string(layer.name));
        state.set_achieved(level <= most);
        state.set_detail("tried");
      }
    }
    return capabilities;
  };
}

std::map<std::string, Finding> Examined(const Isolation& asked, const ProbeIsolation& probe,
                                        const IsolationFacts& facts = IsolationFacts()) {
  std::map<std::string, Finding> found;
  for (const Finding& finding : ExamineSandbox(asked, probe, facts)) {
    EXPECT_TRUE(found.emplace(finding.part, finding).second) << finding.part;
  }
  return found;
}

TEST(ExamineSandboxTest, NothingThatIsRequiredCanBeHad) {
  std::map<std::string, Finding> found = Examined({1, 2}, MachineWith(-1));
  EXPECT_EQ(found.size(), 5u);
  for (const auto& [part, finding] : found) {
    EXPECT_FALSE(finding.good) << part;
    EXPECT_EQ(finding.message.rfind("required layer of level 0 cannot be had: why; way out", 0), 0u) << finding.message;
  }
}

TEST(ExamineSandboxTest, WhereTheRequiredLevelIsMissingTheStrongestThereIsShowsItsLayers) {
  std::map<std::string, Finding> found = Examined({2, 3}, MachineWith(1));
  EXPECT_FALSE(found["sandbox"].good);
  EXPECT_EQ(found["sandbox"].message, "required layer of level 2 cannot be had: why; way out");
  EXPECT_TRUE(found["sandbox L1"].good);
  EXPECT_FALSE(found["sandbox L2"].good);
  EXPECT_TRUE(found["sandbox path_filter"].good);
  EXPECT_EQ(found.count("sandbox user_namespace"), 0u);
}

TEST(ExamineSandboxTest, APreferredLevelThatIsMissingIsPointedOut) {
  std::map<std::string, Finding> found = Examined({1, 2}, MachineWith(1));
  EXPECT_TRUE(found["sandbox"].good);
  EXPECT_EQ(found["sandbox"].message,
            "isolation level L1 (required L1, preferred L2; what is missing: see L2), supervisor: embedded");
  EXPECT_EQ(found["sandbox L2"].message, absl::StrCat("required layer of level 2 cannot be had: why; way out. It would deny ",
                                                      std::string(DeniedByLevel(2))));
  EXPECT_FALSE(found["sandbox user_namespace"].good);
}

TEST(ExamineSandboxTest, EveryLevelSaysWhatItDenies) {
  std::map<std::string, Finding> found = Examined(Isolation(), MachineWith(3));
  EXPECT_EQ(found["sandbox"].message, "isolation level L2 (required L1, preferred L2), supervisor: embedded");
  for (int level = 0; level <= kStrongestLevel; ++level) {
    const Finding& finding = found[absl::StrCat("sandbox L", level)];
    EXPECT_TRUE(finding.good) << level;
    EXPECT_EQ(finding.message, absl::StrCat("denies ", std::string(DeniedByLevel(level))));
  }
}

TEST(ExamineSandboxTest, ALevelThatIsClaimedWithoutItsLayersIsNone) {
  const ProbeIsolation boastful = [](const Isolation& isolation) -> absl::StatusOr<SandboxCapabilities> {
    return MachineWith(0)({0, isolation.preferred});
  };
  IsolationFacts facts;
  facts.most_namespaces["user"] = 0;
  std::map<std::string, Finding> found = Examined(Isolation(), boastful, facts);
  EXPECT_EQ(found["sandbox L1"].message.rfind("layer syscall_filter: ", 0), 0u) << found["sandbox L1"].message;
  EXPECT_FALSE(found["sandbox L3"].good);
}

TEST(ExamineSandboxTest, WeaknessesAreFindings) {
  IsolationFacts facts;
  facts.vsyscall = "native";
  EXPECT_FALSE(Examined(Isolation(), MachineWith(3), facts)["sandbox weakness"].good);
}

TEST(ExamineTemporaryFolderTest, WhatCannotBeUsedIsNamed) {
  const TemporaryFolder folder;
  const std::string file = folder.Write("file", "");
  for (const auto& [path, why] :
       {std::pair(folder / "missing", "No such file or directory"), std::pair(file, "is not a folder")}) {
    const Finding finding = ExamineTemporaryFolder(path);
    EXPECT_FALSE(finding.good) << path;
    EXPECT_EQ(finding.message.rfind(absl::StrCat(path, " (named by TMPDIR): ", why, "; correct TMPDIR"), 0), 0u)
        << finding.message;
  }
}

TEST(ExamineTemporaryFolderTest, WhereRunsCannotLiveIsSaid) {
  const TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0711), 0);
  EXPECT_TRUE(ExamineTemporaryFolder("/tmp").good);
  EXPECT_EQ(ExamineTemporaryFolder("/tmp").message, "/tmp");
  Finding finding = ExamineTemporaryFolder(folder.path());
  EXPECT_TRUE(finding.good);
  EXPECT_EQ(finding.message, absl::StrCat(folder.path(), " (named by TMPDIR)"));
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0700), 0);
  finding = ExamineTemporaryFolder(folder.path());
  EXPECT_TRUE(finding.good);
  EXPECT_NE(finding.message.find("; runs live in /tmp, because their user cannot reach"), std::string::npos) << finding.message;
}

}  // namespace
}  // namespace conclave
