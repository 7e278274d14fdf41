// Programs that write too much, or leave what is hard to remove.
#include "tests/abuse/abuse.h"

namespace conclave {
namespace {

using DiskAbuseTest = AbuseTest;

TEST_F(DiskAbuseTest, SparseGiantIsAFileSizeLimit) {
  const SandboxResult result = Run(Program("sparse_file"));
  EXPECT_EQ(result.end_reason, v1::FILE_SIZE_LIMIT) << result.detail;
  EXPECT_NE(result.detail.find("16 MB"), std::string::npos) << result.detail;
}

TEST_F(DiskAbuseTest, ManyMegabytesEndTheRun) {
  const SandboxResult result = Run(Program("fill_disk"));
  EXPECT_EQ(result.end_reason, v1::DISK_LIMIT) << result.detail;
  EXPECT_NE(result.detail.find("disk limit of 16 MB exceeded"), std::string::npos) << result.detail;
}

TEST_F(DiskAbuseTest, FilesWithoutANameCountToo) {
  EXPECT_EQ(Run(Program("fill_disk", {"unnamed"})).end_reason, v1::DISK_LIMIT);
}

TEST_F(DiskAbuseTest, FilesWithoutANameCountThoughTheFirstThreadEnded) {
  const SandboxResult result = Run(Program("leave_leader", {"files"}));
  EXPECT_EQ(result.end_reason, v1::DISK_LIMIT) << result.detail;
}

TEST_F(DiskAbuseTest, ManyFilesEndTheRun) {
  const SandboxResult result = Run(Program("many_files"));
  EXPECT_EQ(result.end_reason, v1::DISK_LIMIT) << result.detail;
  EXPECT_NE(result.detail.find("200 files and folders"), std::string::npos) << result.detail;
}

TEST_F(DiskAbuseTest, ChainLongerThanAnyPathIsRemoved) {
  SandboxRequest request = Program("deep_folders", {"170", "250"});
  const SandboxResult result = Run(request);
  EXPECT_EQ(result.end_reason, v1::OK) << result.detail;
  EXPECT_EQ(result.usage.disk_inodes(), 170);
}

TEST_F(DiskAbuseTest, ChainDeeperThanAnyHonestOneEndsTheRunAndIsRemoved) {
  SandboxRequest request = Program("deep_folders", {"20000", "1", "wait"});
  request.limits.disk_inodes = 100'000;
  request.limits.disk_bytes = 1 << 30;
  const SandboxResult result = Run(request);
  EXPECT_EQ(result.end_reason, v1::DISK_LIMIT) << result.detail;
  EXPECT_NE(result.detail.find("nested"), std::string::npos) << result.detail;
}

TEST_F(DiskAbuseTest, FoldersWithoutPermissionsAreCountedAndRemoved) {
  const SandboxResult result = Run(Program("locked_folders"));
  EXPECT_EQ(result.end_reason, v1::OK) << result.detail;
  EXPECT_EQ(result.usage.disk_inodes(), 18);
}

}  // namespace
}  // namespace conclave
