#include "lib/store/folder_shelf.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

class FolderShelfTest : public testing::Test {
 protected:
  std::unique_ptr<FolderShelf> Open(int64_t bytes = 1 << 20) {
    return FolderShelf::Open({folder_.path(), folder_ / "conclave.db", bytes, true}).value();
  }

  static DatasetPtr Publish(FolderShelf& shelf, const ColumnStoreKey& key, const std::string& content) {
    std::unique_ptr<StagedColumnStore> staged = shelf.Stage().value();
    EXPECT_TRUE(WriteAll(staged->descriptor(), content).ok());
    v1::Profile profile;
    profile.set_name(key.digest);
    return shelf.Publish(key, std::move(staged), profile).value();
  }

  static std::string Content(const Dataset& dataset) {
    std::string content(64, '\0');
    const ssize_t size = ::pread(dataset.column_store(), content.data(), content.size(), 0);
    return content.substr(0, static_cast<size_t>(size < 0 ? 0 : size));
  }

  size_t Files() const {
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      files += entry.path().extension() == ".columns" ? 1 : 0;
    }
    return files;
  }

  TemporaryFolder folder_;
};

TEST_F(FolderShelfTest, AMissingFolderIsNamed) {
  auto shelf = FolderShelf::Open({folder_ / "nowhere", folder_ / "conclave.db", 1, true}).value();
  const absl::Status status = shelf->Stage().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(status.ToString().find("nowhere"), std::string::npos);
}

TEST_F(FolderShelfTest, WhatIsNotPublishedLeavesNothing) {
  auto shelf = Open();
  { auto staged = shelf->Stage().value(); }
  EXPECT_EQ(Files(), 0u);
  EXPECT_EQ(shelf->Find({"a", "d1", "", "r"}).value(), nullptr);
}

TEST_F(FolderShelfTest, EveryPartOfTheKeyTellsDatasetsApart) {
  auto shelf = Open();
  Publish(*shelf, {"a", "d1", "", "r"}, "one");
  EXPECT_EQ(Content(*shelf->Find({"a", "d1", "", "r"}).value()), "one");
  for (const ColumnStoreKey& other : {ColumnStoreKey{"b", "d1", "", "r"}, ColumnStoreKey{"a", "d2", "", "r"},
                                      ColumnStoreKey{"a", "d1", "x", "r"}, ColumnStoreKey{"a", "d1", "", "r2"}}) {
    EXPECT_EQ(shelf->Find(other).value(), nullptr);
  }
}

TEST_F(FolderShelfTest, TheFirstPublicationOfAKeyStays) {
  auto shelf = Open();
  Publish(*shelf, {"a", "d1", "", "r"}, "first");
  EXPECT_EQ(Content(*Publish(*shelf, {"a", "d1", "", "r"}, "second")), "first");
  EXPECT_EQ(Files(), 1u);
}

TEST_F(FolderShelfTest, DatasetsCannotBeWrittenThrough) {
  auto shelf = Open();
  DatasetPtr dataset = Publish(*shelf, {"a", "d1", "", "r"}, "one");
  EXPECT_LT(::pwrite(dataset->column_store(), "x", 1, 0), 0);
}

TEST_F(FolderShelfTest, ADamagedFileIsForgotten) {
  auto shelf = Open();
  Publish(*shelf, {"a", "d1", "", "r"}, "one");
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().extension() == ".columns") std::filesystem::resize_file(entry.path(), 1);
  }
  EXPECT_EQ(shelf->Find({"a", "d1", "", "r"}).value(), nullptr);
  EXPECT_EQ(Content(*Publish(*shelf, {"a", "d1", "", "r"}, "again")), "again");
}

TEST_F(FolderShelfTest, AFileThatSomebodyWroteToIsMadeAgain) {
  auto shelf = Open();
  Publish(*shelf, {"a", "d1", "", "r"}, "one");
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().extension() != ".columns") continue;
    const Descriptor file(::open(entry.path().c_str(), O_WRONLY | O_CLOEXEC));
    EXPECT_EQ(::pwrite(file.get(), "x", 1, 0), 1);
  }
  EXPECT_EQ(shelf->Find({"a", "d1", "", "r"}).value(), nullptr);
}

TEST_F(FolderShelfTest, AFolderInTheFilesPlaceIsNoObstacle) {
  auto shelf = Open();
  Publish(*shelf, {"a", "d1", "", "r"}, "one");
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().extension() != ".columns") continue;
    std::filesystem::remove(entry.path());
    std::filesystem::create_directory(entry.path());
  }
  EXPECT_EQ(Content(*Publish(*shelf, {"a", "d1", "", "r"}, "again")), "again");
}

TEST_F(FolderShelfTest, TheLeastRecentlyUsedGoesFirst) {
  auto shelf = Open(8);
  Publish(*shelf, {"a", "d1", "", "r"}, "1111");
  Publish(*shelf, {"a", "d2", "", "r"}, "2222");
  ASSERT_NE(shelf->Find({"a", "d1", "", "r"}).value(), nullptr);
  DatasetPtr third = Publish(*shelf, {"a", "d3", "", "r"}, "3333");
  EXPECT_EQ(shelf->Find({"a", "d2", "", "r"}).value(), nullptr);
  EXPECT_NE(shelf->Find({"a", "d1", "", "r"}).value(), nullptr);
  EXPECT_EQ(Files(), 2u);
  EXPECT_EQ(Content(*third), "3333");
}

TEST_F(FolderShelfTest, TwoProcessesMayShareAFolder) {
  auto first = Open();
  auto second = Open();
  Publish(*first, {"a", "d1", "", "r"}, "one");
  DatasetPtr found = second->Find({"a", "d1", "", "r"}).value();
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->profile().name(), "d1");
}

}  // namespace
}  // namespace conclave
