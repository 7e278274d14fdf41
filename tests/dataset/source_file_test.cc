#include "lib/dataset/source_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "lib/base/digest.h"
#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

absl::StatusOr<SourceFile> OpenPath(const std::string& path, const SourceOptions& options = SourceOptions()) {
  v1::DatasetSource source;
  source.set_path(path);
  return SourceFile::Open(source, "datasets[1]", options, Cancellation());
}

absl::StatusOr<SourceFile> OpenDescriptor(int fd, const Cancellation& cancellation = Cancellation()) {
  v1::DatasetSource source;
  source.set_descriptor(fd);
  source.set_name("piped.csv");
  return SourceFile::Open(source, "datasets[0]", SourceOptions(), cancellation);
}

std::string Message(const absl::StatusOr<SourceFile>& file) { return std::string(file.status().message()); }

TEST(SourceFileTest, AMissingFileIsNamedWithTheClosestOne) {
  const TemporaryFolder folder;
  folder.Write("sales.csv", "a\n1\n");
  const absl::StatusOr<SourceFile> file = OpenPath(folder / "sale.csv");
  EXPECT_EQ(file.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Message(file), "datasets[1].path: no such file: \"" + (folder / "sale.csv") + "\" (did you mean \"sales.csv\"?)");
  EXPECT_NE(Message(OpenPath(folder / "SALES.CSV")).find("did you mean \"sales.csv\""), std::string::npos);
  EXPECT_EQ(Message(OpenPath(folder / "weather.tsv")).find("did you mean"), std::string::npos);
  EXPECT_NE(Message(OpenPath(folder / "no/sales.csv")).find("there is no folder"), std::string::npos);
}

TEST(SourceFileTest, AFolderIsRefusedWithItsFiles) {
  const TemporaryFolder folder;
  folder.Write("b.csv", "a\n");
  folder.Write("a.csv", "a\n");
  const absl::StatusOr<SourceFile> file = OpenPath(folder.path());
  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(Message(file).find("is a folder: give one of its files (a.csv, b.csv)"), std::string::npos) << Message(file);
}

TEST(SourceFileTest, RefusesWhatIsNoSource) {
  v1::DatasetSource none;
  EXPECT_FALSE(SourceFile::Open(none, "datasets[0]", SourceOptions(), Cancellation()).ok());
  v1::DatasetSource both;
  both.set_path("/etc/hostname");
  both.set_descriptor(0);
  EXPECT_FALSE(SourceFile::Open(both, "datasets[0]", SourceOptions(), Cancellation()).ok());
  EXPECT_NE(Message(OpenDescriptor(9999)).find("datasets[0].descriptor: 9999 is not open"), std::string::npos);
  EXPECT_NE(Message(OpenPath("/dev/zero")).find("is a device"), std::string::npos);
  const TemporaryFolder folder;
  EXPECT_NE(Message(OpenPath(folder.Write("empty.csv", ""))).find("is empty"), std::string::npos);
  SourceOptions small;
  small.bytes = 3;
  EXPECT_EQ(OpenPath(folder.Write("big.csv", "a,b\n"), small).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(SourceFileTest, WhatTheKernelMakesUpIsReadAsAStream) {
  for (const char* path : {"/proc/filesystems", "/proc/version"}) {
    const Descriptor mine(::open(path, O_RDONLY | O_CLOEXEC));
    const std::string content = ReadAll(mine.get(), 1 << 20).value();
    const absl::StatusOr<SourceFile> file = OpenPath(path);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(file->bytes(), static_cast<int64_t>(content.size())) << path;
    EXPECT_TRUE(file->CheckUnchanged().ok());
  }
}

TEST(SourceFileTest, WhatIsNoRegularFileIsSaidWithTheWayOut) {
  const TemporaryFolder folder;
  const std::string path = folder / "socket";
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_NE(Message(OpenPath(path)).find("is a socket, not a regular file: give a file, or pipe"), std::string::npos);
  EXPECT_NE(Message(OpenPath("/dev/null")).find("is a device, not a regular file: give a file, or pipe"), std::string::npos);
}

TEST(SourceFileTest, APipeIsReadToItsEnd) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Descriptor reading(ends[0]);
  const std::string text = "a,b\n" + std::string(300'000, '1') + ",2\n";
  std::thread writer([&text, fd = ends[1]] {
    const Descriptor writing(fd);
    EXPECT_TRUE(WriteAll(fd, text).ok());
  });
  const absl::StatusOr<SourceFile> file = OpenDescriptor(reading.get());
  writer.join();
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->bytes(), static_cast<int64_t>(text.size()));
  EXPECT_EQ(file->name(), "piped.csv");
  EXPECT_EQ(*file->Digest(Cancellation()), Digest(text));
}

TEST(SourceFileTest, WaitingForAPipeCanBeCancelled) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Descriptor reading(ends[0]);
  const Descriptor writing(ends[1]);
  CancellationSource cancel;
  std::thread later([&cancel] { cancel.Cancel(); });
  EXPECT_EQ(OpenDescriptor(reading.get(), cancel.token()).status().code(), absl::StatusCode::kCancelled);
  later.join();
}

TEST(SourceFileTest, APipeWithoutAWriterHoldsNobodyUp) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  SourceOptions options;
  options.pipe_patience = absl::Milliseconds(50);
  EXPECT_NE(Message(OpenPath(folder / "fifo", options)).find("nobody wrote to this pipe"), std::string::npos);
}

TEST(SourceFileTest, APipeWaitsForALateWriterAndKeepsItsFirstByte) {
  const TemporaryFolder folder;
  const std::string path = folder / "fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    const Descriptor end(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    EXPECT_TRUE(WriteAll(end.get(), "a\n").ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    EXPECT_TRUE(WriteAll(end.get(), "1\n").ok());
  });
  const absl::StatusOr<SourceFile> file = OpenPath(path);
  writer.join();
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->Digest(Cancellation()).value(), Digest("a\n1\n"));
}

TEST(SourceFileTest, TheDescriptorHandedOnCannotWrite) {
  const TemporaryFolder folder;
  const Descriptor mine(::open(folder.Write("a.csv", "a\n1\n").c_str(), O_RDWR | O_CLOEXEC));
  const absl::StatusOr<SourceFile> file = OpenDescriptor(mine.get());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_NE(file->descriptor(), mine.get());
  EXPECT_LT(::write(file->descriptor(), "x", 1), 0);
}

TEST(SourceFileTest, NoticesAChange) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("a.csv", "a\n1\n");
  const absl::StatusOr<SourceFile> file = OpenPath(path);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->CheckUnchanged().ok());
  folder.Write("a.csv", "a\n1\n2\n");
  EXPECT_EQ(file->CheckUnchanged().code(), absl::StatusCode::kAborted);
}

}  // namespace
}  // namespace conclave
