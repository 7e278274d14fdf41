#include "lib/dataset/source_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/base/digest.h"
#include "lib/base/text.h"
#include "lib/dataset/neighbours.h"

namespace conclave {
namespace {

constexpr size_t kBuffer = 1u << 20;
constexpr char kNoRegularFile[] = ", not a regular file: give a file, or pipe its content in as standard input (-)";

std::string Quoted(std::string_view text) { return absl::StrCat("\"", Excerpt(text, 200), "\""); }

std::string LastPart(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos || path.size() == 1 ? path : path.substr(slash + 1));
}

absl::Status OpenFailure(int error, const std::string& place, const std::string& path) {
  const std::string thing = absl::StrCat(place, ".path: ");
  if (error == ENOENT || error == ENOTDIR) {
    return absl::NotFoundError(absl::StrCat(thing, "no such file: ", Quoted(path), DidYouMean(path)));
  }
  if (error == EACCES || error == EPERM) {
    return absl::PermissionDeniedError(
        absl::StrCat(thing, "no permission to read ", Quoted(path), ": change its permissions, or give a copy"));
  }
  if (error == EMFILE || error == ENFILE || error == ENOMEM) return ErrnoStatus(error, absl::StrCat(thing, Quoted(path)));
  struct stat status = {};
  if (error == ENXIO && ::stat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(thing, Quoted(path), " is a socket", kNoRegularFile));
  }
  return absl::InvalidArgumentError(absl::StrCat(thing, "cannot open ", Quoted(path), ": ", std::strerror(error)));
}

// Files that the kernel makes up while they are read, such as those in /proc: their size says nothing (0, or a whole page), and
// they cannot be mapped.
bool IsMadeUp(int fd) {
  struct statfs system = {};
  if (::fstatfs(fd, &system) != 0) return false;
  switch (static_cast<unsigned long>(system.f_type)) {
    case PROC_SUPER_MAGIC:
    case SYSFS_MAGIC:
    case CGROUP_SUPER_MAGIC:
    case CGROUP2_SUPER_MAGIC:
    case DEBUGFS_MAGIC:
    case TRACEFS_MAGIC:
    case SECURITYFS_MAGIC: return true;
    default: return false;
  }
}

// Whether a file of no size has content all the same, as on file systems that stream what they hold.
bool HasContent(int fd) {
  char byte;
  return ::pread(fd, &byte, 1, 0) == 1;
}

// What the kernel calls what `fd` is open on: "anon_inode:[eventfd]".
std::string KernelName(int fd) {
  char name[100];
  const ssize_t size = ::readlink(absl::StrCat("/proc/self/fd/", fd).c_str(), name, sizeof name);
  return size < 0 ? "an object of the kernel" : std::string(name, static_cast<size_t>(size));
}

// Whether the caller may read from `fd`. The kernel would let us open anew what it may only write.
bool IsReadable(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY && (flags & O_PATH) == 0;
}

// A description of its own for what `fd` is open on, for reading only: a run that is given it can neither write the file nor
// move the caller's position.
Descriptor ReopenForReading(int fd) {
  Descriptor own(::open(absl::StrCat("/proc/self/fd/", fd).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (own.valid()) return own;
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) return Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  return {};
}

// Cancelled or DeadlineExceeded when reading has to stop.
absl::Status CheckGoesOn(const Cancellation& cancellation, absl::Time deadline) {
  if (cancellation.cancelled()) return absl::CancelledError("cancelled while reading the input");
  if (absl::Now() < deadline) return absl::OkStatus();
  return absl::DeadlineExceededError("the deadline passed while the input was read: allow more time, or give a smaller file");
}

// Waits until `fd` has something or has ended, at most `timeout`, and returns what poll() says of it.
absl::StatusOr<short> WaitReadable(int fd, const Cancellation& cancellation, absl::Time deadline, absl::Duration timeout) {
  constexpr absl::Duration kLongest = absl::Hours(1);  // poll() counts milliseconds in an int
  const absl::Time end = std::min(deadline, absl::Now() + timeout);
  pollfd waits[2] = {{fd, POLLIN, 0}, {cancellation.descriptor(), POLLIN, 0}};
  while (true) {
    const absl::Duration left = std::clamp(end - absl::Now(), absl::ZeroDuration(), kLongest);
    const int ready = ::poll(waits, 2, static_cast<int>(absl::ToInt64Milliseconds(absl::Ceil(left, absl::Milliseconds(1)))));
    if (ready < 0 && errno != EINTR) return ErrnoStatus(errno, "waiting for input");
    if (absl::Status status = CheckGoesOn(cancellation, deadline); !status.ok()) return status;
    if (ready > 0) return waits[0].revents;
    if (absl::Now() >= end) return short{0};
  }
}

// Waits until somebody has opened the named pipe for writing. No poll tells that, but a read does: without a writer it gives an
// end, with one nothing yet. A byte that comes meanwhile goes to `early`.
absl::Status WaitForWriter(int fd, const std::string& what, const SourceOptions& options, const Cancellation& cancellation,
                           std::string* early) {
  constexpr absl::Duration kLook = absl::Milliseconds(20);
  for (absl::Duration waited; waited < options.pipe_patience; waited += kLook) {
    absl::StatusOr<short> events = WaitReadable(fd, cancellation, options.deadline, kLook);
    if (!events.ok()) return events.status();
    if (*events != 0) return absl::OkStatus();
    char byte;
    const ssize_t count = ::read(fd, &byte, 1);
    if (count == 1) early->push_back(byte);
    if (count == 1 || (count < 0 && errno == EAGAIN)) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(what, ": nobody wrote to this pipe for ",
                                                 absl::FormatDuration(options.pipe_patience),
                                                 ": start its writer, or give a file"));
}

// Copies a stream to its end into a file without a name.
absl::StatusOr<Descriptor> Spool(int fd, const std::string& what, const SourceOptions& options,
                                 const Cancellation& cancellation) {
  Descriptor file(::open(options.temporary_folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file.valid()) return ErrnoStatus(errno, absl::StrCat(options.temporary_folder, ": cannot keep the input there"));
  // Whatever the host's umask leaves: the file is opened once more below.
  if (::fchmod(file.get(), 0600) != 0) return ErrnoStatus(errno, absl::StrCat(what, ": keeping the input"));
  const auto buffer = std::make_unique<char[]>(kBuffer);
  std::string early;
  struct stat status = {};
  const bool unblocked_pipe = ::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) && (::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0;
  if (unblocked_pipe) {
    if (absl::Status written = WaitForWriter(fd, what, options, cancellation, &early); !written.ok()) return written;
  }
  if (absl::Status kept = WriteAll(file.get(), early); !kept.ok()) return kept;
  auto total = static_cast<int64_t>(early.size());
  while (true) {
    absl::StatusOr<short> ready = WaitReadable(fd, cancellation, options.deadline, absl::InfiniteDuration());
    if (!ready.ok())
      return absl::Status(ready.status().code(), absl::StrCat(what, ": ", std::string(ready.status().message())));
    const ssize_t count = ::read(fd, buffer.get(), kBuffer);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return ErrnoStatus(errno, absl::StrCat(what, ": reading"));
    if (count == 0) break;
    total += count;
    if (total > std::min(options.bytes, options.streamed_bytes)) {
      return absl::ResourceExhaustedError(absl::StrCat(what, ": more than ", std::min(options.bytes, options.streamed_bytes),
                                                       " bytes came, which is what may be kept of a stream: give a file"));
    }
    if (absl::Status written = WriteAll(file.get(), {buffer.get(), static_cast<size_t>(count)}); !written.ok()) {
      return absl::Status(written.code(), absl::StrCat(what, ": keeping the input in ", options.temporary_folder, ": ",
                                                       std::string(written.message())));
    }
  }
  Descriptor reading = ReopenForReading(file.get());
  if (!reading.valid()) return ErrnoStatus(errno, absl::StrCat(what, ": opening the kept input"));
  return reading;
}

}  // namespace

absl::StatusOr<SourceFile> SourceFile::Open(const v1::DatasetSource& source, const std::string& place,
                                            const SourceOptions& options, const Cancellation& cancellation) {
  if (source.path().empty() != source.has_descriptor()) {
    return absl::InvalidArgumentError(absl::StrCat(place, ": give exactly one of path and descriptor"));
  }
  SourceFile opened;
  opened.place_ = place;
  std::string what;
  Descriptor file;
  if (source.has_descriptor()) {
    what = absl::StrCat(place, ".descriptor");
    if (!IsReadable(source.descriptor())) {
      return absl::InvalidArgumentError(absl::StrCat(what, ": ", source.descriptor(), " is not open for reading"));
    }
    file = ReopenForReading(source.descriptor());
    if (!file.valid() && ::fcntl(source.descriptor(), F_GETFD) >= 0) {
      file = Descriptor(::fcntl(source.descriptor(), F_DUPFD_CLOEXEC, 3));
    }
    if (!file.valid()) return ErrnoStatus(errno, absl::StrCat(what, ": opening ", source.descriptor(), " anew"));
    opened.name_ = source.name().empty() ? "input" : source.name();
  } else {
    what = absl::StrCat(place, ".path: ", Quoted(source.path()));
    if (source.path().find('\0') != std::string::npos) {
      return absl::InvalidArgumentError(absl::StrCat(what, " holds a NUL byte"));
    }
    // Not blocking: a pipe without a writer must not hold the job.
    file = Descriptor(::open(source.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!file.valid()) return OpenFailure(errno, place, source.path());
    opened.name_ = RepairUtf8(source.name().empty() ? LastPart(source.path()) : source.name());
  }
  struct stat status = {};
  if (::fstat(file.get(), &status) < 0) return ErrnoStatus(errno, what);
  if (S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(what, " is a folder: give one of its files", FilesIn(source.path())));
  }
  if (S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && !source.has_descriptor())) {
    return absl::InvalidArgumentError(absl::StrCat(what, " is a device", kNoRegularFile));
  }
  // The kernel's own objects, such as counters and timers, which hold no file and never end.
  if ((status.st_mode & S_IFMT) == 0) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": ", source.descriptor(), " is neither a file nor a stream, but ",
                                                   KernelName(file.get()), ": give a file"));
  }
  if (::isatty(file.get()) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(what, " is a terminal, not a file: give a file, or pipe its content in"));
  }
  const bool streamed = S_ISREG(status.st_mode) && (IsMadeUp(file.get()) || (status.st_size == 0 && HasContent(file.get())));
  const bool writable = (::fcntl(file.get(), F_GETFL) & O_ACCMODE) != O_RDONLY;
  if (!S_ISREG(status.st_mode) || streamed || writable) {
    absl::StatusOr<Descriptor> spooled = Spool(file.get(), what, options, cancellation);
    if (!spooled.ok()) return spooled.status();
    file = std::move(*spooled);
    if (::fstat(file.get(), &status) < 0) return ErrnoStatus(errno, what);
  }
  if (status.st_size == 0) {
    return absl::InvalidArgumentError(absl::StrCat(what, " is empty: give a file with at least a header line"));
  }
  if (status.st_size > options.bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat(what, " has ", status.st_size, " bytes; at most ", options.bytes, " are read: give a smaller file"));
  }
  opened.file_ = std::move(file);
  opened.bytes_ = status.st_size;
  opened.inode_ = status.st_ino;
  opened.changed_ = status.st_mtim;
  return opened;
}

absl::StatusOr<std::string> SourceFile::Digest(const Cancellation& cancellation, absl::Time deadline) const {
  const auto buffer = std::make_unique<char[]>(kBuffer);
  Hasher hasher;
  for (off_t at = 0;;) {
    if (absl::Status status = CheckGoesOn(cancellation, deadline); !status.ok()) return status;
    const ssize_t count = ::pread(file_.get(), buffer.get(), kBuffer, at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoStatus(errno, absl::StrCat(place_, ": reading ", Quoted(name_)));
    if (count == 0) return hasher.Finish();
    hasher.Add({buffer.get(), static_cast<size_t>(count)});
    at += count;
  }
}

absl::Status SourceFile::CheckUnchanged() const {
  struct stat status = {};
  if (::fstat(file_.get(), &status) < 0) return ErrnoStatus(errno, absl::StrCat(place_, ": ", Quoted(name_)));
  if (status.st_size == bytes_ && status.st_ino == inode_ && status.st_mtim.tv_sec == changed_.tv_sec &&
      status.st_mtim.tv_nsec == changed_.tv_nsec) {
    return absl::OkStatus();
  }
  return absl::AbortedError(
      absl::StrCat(place_, ": ", Quoted(name_), " changed while it was read: run again when nothing writes to it"));
}

}  // namespace conclave
