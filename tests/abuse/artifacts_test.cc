// Files that a host must not read.
#include "tests/abuse/abuse.h"

namespace conclave {
namespace {

using ArtifactAbuseTest = AbuseTest;

TEST_F(ArtifactAbuseTest, OnlyPlainFilesOfTheRunAreKeptAndTheRestIsNamed) {
  UseLevel(0);  // where a program can leave most
  SandboxRequest request = Program("leave_traps");
  request.artifacts = 100;
  request.limits.disk_bytes = 1 << 30;
  const SandboxResult result = Run(request);
  ASSERT_EQ(result.end_reason, v1::OK) << result.detail;
  ASSERT_EQ(result.artifacts.size(), 1u);
  EXPECT_EQ(result.artifacts[0].name, "folder/good.txt");
  EXPECT_EQ(result.artifacts[0].content, "good");
  for (const char* refusal : {"shadow: is a symbolic link", "folder-link: is a symbolic link", "pipe: is not a regular file",
                              "two: has 2 names", "names: has 2 names", "large: has 160 MB; at most 16 MB", "not UTF-8"}) {
    EXPECT_NE(result.detail.find(refusal), std::string::npos) << refusal << " in " << result.detail;
  }
}

TEST_F(ArtifactAbuseTest, NoMoreThanAskedFor) {
  SandboxRequest request = Program("many_files");
  request.limits.disk_inodes = 40;
  request.artifacts = 3;
  const SandboxResult result = Run(request);
  EXPECT_EQ(result.artifacts.size(), 3u);
  EXPECT_NE(result.detail.find("only 3 files are kept"), std::string::npos) << result.detail;
}

TEST_F(ArtifactAbuseTest, NoneUnlessAskedFor) { EXPECT_TRUE(Run(Program("leave_traps")).artifacts.empty()); }

}  // namespace
}  // namespace conclave
