#include "lib/dataset/source_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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

TEST(SourceFileTest, WhatIsOpenForWritingOnlyIsNotRead) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Descriptor reading(ends[0]);
  const Descriptor writing(ends[1]);
  ASSERT_EQ(::write(writing.get(), "a\n1\n", 4), 4);
  const absl::StatusOr<SourceFile> file = OpenDescriptor(writing.get());
  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(Message(file).find("is not open for reading"), std::string::npos) << Message(file);
  char bytes[8];
  EXPECT_EQ(::read(reading.get(), bytes, sizeof bytes), 4);  // the pipe has what its owner wrote
  const Descriptor named(::open("/etc/hostname", O_PATH | O_CLOEXEC));
  EXPECT_NE(Message(OpenDescriptor(named.get())).find("is not open for reading"), std::string::npos);
}

TEST(SourceFileTest, ObjectsOfTheKernelAreNoInput) {
  const Descriptor counter(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
  const absl::StatusOr<SourceFile> file = OpenDescriptor(counter.get());
  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(Message(file).find("neither a file nor a stream, but anon_inode:[eventfd]"), std::string::npos) << Message(file);
}

TEST(SourceFileTest, ATerminalIsRefusedInsteadOfWaitedFor) {
  const Descriptor keyboard(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(keyboard.valid());
  ASSERT_EQ(::grantpt(keyboard.get()), 0);
  ASSERT_EQ(::unlockpt(keyboard.get()), 0);
  char name[64];
  ASSERT_EQ(::ptsname_r(keyboard.get(), name, sizeof name), 0);
  const Descriptor terminal(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  const absl::StatusOr<SourceFile> file = OpenDescriptor(terminal.get());
  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(Message(file).find("is a terminal"), std::string::npos) << Message(file);
}

TEST(SourceFileTest, WantOfDescriptorsIsNoFaultOfTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("a.csv", "a\n1\n");
  // Also because the check of types under UndefinedBehaviorSanitizer wants descriptors when it meets a type for the first time.
  ASSERT_TRUE(OpenPath(path).ok());
  std::vector<Descriptor> taken;
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few = {64, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  for (Descriptor next(::open("/dev/null", O_RDONLY | O_CLOEXEC)); next.valid();
       next = Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC))) {
    taken.push_back(std::move(next));
  }
  const absl::Status status = OpenPath(path).status();
  taken.clear();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_NE(status.ToString().find("Too many open files"), std::string::npos) << status;
}

TEST(SourceFileTest, AStreamThatNeverEndsEndsWithTheDeadline) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Descriptor reading(ends[0]);
  const Descriptor writing(ends[1]);
  const Descriptor endless(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  for (const int fd : {reading.get(), endless.get()}) {
    v1::DatasetSource source;
    source.set_descriptor(fd);
    SourceOptions options;
    options.deadline = absl::Now() + absl::Milliseconds(50);
    const absl::StatusOr<SourceFile> file = SourceFile::Open(source, "datasets[0]", options, Cancellation());
    EXPECT_EQ(file.status().code(), absl::StatusCode::kDeadlineExceeded) << file.status();
    EXPECT_NE(Message(file).find("datasets[0].descriptor: the deadline passed"), std::string::npos) << Message(file);
  }
}

TEST(SourceFileTest, NoMoreOfAStreamIsKeptThanMayBe) {
  const Descriptor endless(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  v1::DatasetSource source;
  source.set_descriptor(endless.get());
  SourceOptions options;
  options.streamed_bytes = 3 << 20;
  const absl::StatusOr<SourceFile> file = SourceFile::Open(source, "datasets[0]", options, Cancellation());
  EXPECT_EQ(file.status().code(), absl::StatusCode::kResourceExhausted) << file.status();
}

}  // namespace
}  // namespace conclave
