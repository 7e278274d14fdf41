#include "lib/store/store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

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

TEST(StoreTest, CanBeUsedWhateverTheHostsUmask) {
  TemporaryFolder parent;
  const std::string kept = parent / "kept";
  const mode_t before = ::umask(0777);
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open({.folder = kept});
  absl::StatusOr<std::unique_ptr<Store>> temporary = Store::Open({.temporary_folder = parent.path()});
  absl::StatusOr<std::unique_ptr<StagedColumnStore>> staged = absl::UnavailableError("no store");
  if (store.ok()) staged = (*store)->shelf().Stage();
  ::umask(before);
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_TRUE(temporary.ok()) << temporary.status();
  ASSERT_TRUE(staged.ok()) << staged.status();
  struct stat status = {};
  ASSERT_EQ(::fstat((*staged)->descriptor(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const std::string other = (*temporary)->folder();
  for (const std::string& path : {kept, kept + "/columns", other, other + "/columns"}) {
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all) << path;
  }
  for (const std::string& path : {kept + "/conclave.db", other + "/conclave.db", other + "/lock"}) {
    EXPECT_EQ(std::filesystem::status(path).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)
        << path;
  }
}

TEST(StoreTest, WithoutAPlaceForItATemporaryStoreSaysWhatToSet) {
  StoreOptions options;
  options.temporary_folder = "/nonexistent";
  const absl::Status status = Store::Open(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.ToString().find("/nonexistent: No such file or directory: set TMPDIR"), std::string::npos) << status;
}

TEST(StoreTest, ATemporaryStoreLeavesNothing) {
  TemporaryFolder parent;
  { ASSERT_TRUE(Store::Open({.temporary_folder = parent.path()}).ok()); }
  EXPECT_TRUE(std::filesystem::is_empty(parent.path()));
}

TEST(StoreTest, NoticesThatItsFolderWasRemoved) {
  TemporaryFolder parent;
  for (const std::string part : {"", "/lock", "/columns", "/conclave.db"}) {
    absl::StatusOr<std::unique_ptr<Store>> store = Store::Open({.temporary_folder = parent.path()});
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_TRUE((*store)->InPlace());
    std::filesystem::remove_all((*store)->folder() + part);
    EXPECT_FALSE((*store)->InPlace()) << part;
  }
  EXPECT_TRUE(std::filesystem::is_empty(parent.path()));
}

TEST(StoreTest, LeavesWhatCameInPlaceOfItsFolder) {
  TemporaryFolder parent;
  std::string place;
  {
    absl::StatusOr<std::unique_ptr<Store>> store = Store::Open({.temporary_folder = parent.path()});
    ASSERT_TRUE(store.ok()) << store.status();
    place = (*store)->folder();
    std::filesystem::rename(place, place + "-moved");
    std::filesystem::create_directory(place);
  }
  EXPECT_TRUE(std::filesystem::exists(place));
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

// What a process left that was killed before it had locked its folder, or while it removed it.
TEST(StoreTest, AFolderWithoutALockIsRemovedOnceItIsOld) {
  TemporaryFolder parent;
  for (const char* name :
       {"/conclave-store-empty1", "/conclave-store-full01/columns", "/conclave-store-young1", "/conclave-other"})
    std::filesystem::create_directories(parent.path() + name);
  const timespec long_ago[2] = {{.tv_sec = 1'600'000'000, .tv_nsec = 0}, {.tv_sec = 1'600'000'000, .tv_nsec = 0}};
  for (const char* name : {"/conclave-store-empty1", "/conclave-store-full01", "/conclave-other"})
    ASSERT_EQ(::utimensat(AT_FDCWD, (parent.path() + name).c_str(), long_ago, 0), 0);
  ASSERT_TRUE(Store::Open({.temporary_folder = parent.path()}).ok());
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(parent.path())) left.insert(entry.path().filename().string());
  EXPECT_EQ(left, (std::set<std::string>{"conclave-store-young1", "conclave-other"}));
}

TEST(StoreTest, AStoreThatLastsRemovesWhatTemporaryOnesLeft) {
  TemporaryFolder parent, folder;
  std::filesystem::create_directory(parent.path() + "/conclave-store-killed");
  std::ofstream(parent.path() + "/conclave-store-killed/lock").close();
  ASSERT_TRUE(Store::Open({.folder = folder / "store", .temporary_folder = parent.path()}).ok());
  EXPECT_TRUE(std::filesystem::is_empty(parent.path()));
}

// Hosts that start at once must not take each other's new folders for abandoned ones.
TEST(StoreTest, StoresThatOpenAtOnceLeaveEachOtherAlone) {
  TemporaryFolder parent;
  std::vector<std::thread> hosts;
  std::atomic<int> failures = 0;
  for (int host = 0; host < 4; ++host) {
    hosts.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        absl::StatusOr<std::unique_ptr<Store>> store = Store::Open({.temporary_folder = parent.path()});
        if (!store.ok() || !std::filesystem::exists((*store)->folder() + "/conclave.db")) ++failures;
      }
    });
  }
  for (std::thread& host : hosts) host.join();
  EXPECT_EQ(failures, 0);
  EXPECT_TRUE(std::filesystem::is_empty(parent.path()));
}

}  // namespace
}  // namespace conclave
