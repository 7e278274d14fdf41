#include "lib/sandbox/private_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/sandbox/spawn.h"
#include "lib/sandbox/supervisor_image.h"
#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

// Folders within folders, and one that nobody may enter.
void Fill(const PrivateFolder& folder) {
  for (int i = 0; i < 20; ++i) {
    const std::string path = absl::StrCat(folder.path(), "/d", i);
    ASSERT_EQ(::mkdir(path.c_str(), 0700), 0);
    ASSERT_EQ(::mkdir(absl::StrCat(path, "/inner").c_str(), 0700), 0);
    if (i % 2 == 0) ::chmod(path.c_str(), 0);
  }
}

bool Exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

TEST(PrivateFolderTest, IsRemovedWithAllThatIsInIt) {
  const TemporaryFolder parent;
  absl::StatusOr<PrivateFolder> folder = PrivateFolder::Create(parent.path());
  ASSERT_TRUE(folder.ok()) << folder.status();
  Fill(*folder);
  EXPECT_TRUE(folder->Remove().ok());
  EXPECT_FALSE(Exists(folder->path()));
}

TEST(PrivateFolderTest, RemovalStopsWhenPatienceEnds) {
  const TemporaryFolder parent;
  absl::StatusOr<PrivateFolder> folder = PrivateFolder::Create(parent.path());
  ASSERT_TRUE(folder.ok()) << folder.status();
  Fill(*folder);
  EXPECT_TRUE(absl::IsDeadlineExceeded(folder->Remove(absl::ZeroDuration())));
  EXPECT_TRUE(Exists(folder->path()));
  EXPECT_TRUE(folder->Remove().ok());
  EXPECT_FALSE(Exists(folder->path()));
}

TEST(PrivateFolderTest, ARemoverFinishesWhatWasHandedOver) {
  const TemporaryFolder parent;
  absl::StatusOr<SupervisorImage> image = SupervisorImage::Open("");
  ASSERT_TRUE(image.ok()) << image.status();
  std::string path;
  {
    absl::StatusOr<PrivateFolder> folder = PrivateFolder::Create(parent.path());
    ASSERT_TRUE(folder.ok()) << folder.status();
    path = folder->path();
    Fill(*folder);
    const absl::Status started = SpawnRemover(*image, *folder);
    ASSERT_TRUE(started.ok()) << started;
    folder->Disown();
  }
  for (int i = 0; i < 6000 && Exists(path); ++i) absl::SleepFor(absl::Milliseconds(10));
  EXPECT_FALSE(Exists(path));
}

TEST(PrivateFolderTest, ADisownedFolderStays) {
  const TemporaryFolder parent;
  std::string path;
  {
    absl::StatusOr<PrivateFolder> folder = PrivateFolder::Create(parent.path());
    ASSERT_TRUE(folder.ok()) << folder.status();
    path = folder->path();
    folder->Disown();
  }
  EXPECT_TRUE(Exists(path));
}

TEST(PrivateFolderTest, WhatAKilledHostLeftIsSweptButNotWhatIsInUse) {
  const TemporaryFolder parent;
  absl::StatusOr<PrivateFolder> used = PrivateFolder::Create(parent.path());
  ASSERT_TRUE(used.ok()) << used.status();
  std::string killed;
  {
    absl::StatusOr<PrivateFolder> folder = PrivateFolder::Create(parent.path());
    ASSERT_TRUE(folder.ok()) << folder.status();
    killed = folder->path();
    Fill(*folder);
    ::chmod(killed.c_str(), 0);
    folder->Disown();  // as the kernel does for a process that is killed
  }
  const std::string similar = parent.path() + "/conclave-run-of-mine";
  ASSERT_EQ(::mkdir(similar.c_str(), 0700), 0);
  PrivateFolder::SweepAbandoned(parent.path());
  EXPECT_FALSE(Exists(killed));
  EXPECT_TRUE(Exists(used->path()));
  EXPECT_TRUE(Exists(similar));
}

// A supervisor and a remover hold what the host has given them, also when the host is gone.
TEST(PrivateFolderTest, AFolderThatAnotherProcessHoldsIsNotSwept) {
  const TemporaryFolder parent;
  absl::StatusOr<PrivateFolder> folder = PrivateFolder::Create(parent.path());
  ASSERT_TRUE(folder.ok()) << folder.status();
  Descriptor handed_over(::fcntl(folder->descriptor(), F_DUPFD_CLOEXEC, 0));
  const std::string path = folder->path();
  folder->Disown();
  PrivateFolder::SweepAbandoned(parent.path());
  EXPECT_TRUE(Exists(path));
  handed_over.Reset();
  PrivateFolder::SweepAbandoned(parent.path());
  EXPECT_FALSE(Exists(path));
}

TEST(PrivateFolderTest, FoldersMadeWhileOthersSweepAreTheirOwners) {
  const TemporaryFolder parent;
  std::atomic<bool> done = false;
  std::thread sweeper([&] {
    while (!done) PrivateFolder::SweepAbandoned(parent.path());
  });
  for (int i = 0; i < 500; ++i) {
    absl::StatusOr<PrivateFolder> folder = PrivateFolder::Create(parent.path());
    ASSERT_TRUE(folder.ok()) << folder.status();
    EXPECT_TRUE(Exists(folder->path()));
  }
  done = true;
  sweeper.join();
}

}  // namespace
}  // namespace conclave
