#include "lib/store/store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

TEST(StoreTest, RefusesAFolderThatOthersMayEnter) {
  TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  const absl::Status status = Store::Open({.folder = folder.path()}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.ToString().find("chmod 700"), std::string::npos);
}

TEST(StoreTest, RefusesAFileInPlaceOfAFolder) {
  TemporaryFolder folder;
  const std::string file = folder.Write("file", "x");
  EXPECT_EQ(Store::Open({.folder = file}).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(Store::Open({.folder = file + "/below"}).ok());
}

TEST(StoreTest, MakesAFolderForItsOwnerOnly) {
  TemporaryFolder folder;
  const std::string path = folder / "a/b/store";
  ASSERT_TRUE(Store::Open({.folder = path}).ok());
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
}

TEST(StoreTest, ATemporaryStoreLeavesNothing) {
  TemporaryFolder parent;
  { ASSERT_TRUE(Store::Open({.temporary_folder = parent.path()}).ok()); }
  EXPECT_TRUE(std::filesystem::is_empty(parent.path()));
}

TEST(StoreTest, WhatAKilledProcessLeftIsRemovedButNotWhatIsInUse) {
  TemporaryFolder parent;
  const pid_t child = ::fork();
  if (child == 0) {
    absl::StatusOr<std::unique_ptr<Store>> store = Store::Open({.temporary_folder = parent.path()});
    ::_exit(store.ok() ? 0 : 1);  // without destructors
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  ASSERT_FALSE(std::filesystem::is_empty(parent.path()));
  std::unique_ptr<Store> first = Store::Open({.temporary_folder = parent.path()}).value();
  std::unique_ptr<Store> second = Store::Open({.temporary_folder = parent.path()}).value();
  EXPECT_TRUE(std::filesystem::exists(first->folder()));
  size_t folders = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(parent.path())) ++folders;
  EXPECT_EQ(folders, 2u);
}

}  // namespace
}  // namespace conclave
