#include "tools/conclave/input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/text.h"
#include "tools/conclave/units.h"

namespace conclave::cli {
namespace {

constexpr size_t kCodeBytes = 1 << 20;

// Bytes of one read; 0 at the end. Ends early when cancelled.
absl::StatusOr<size_t> ReadSome(int fd, char* buffer, size_t size, const Cancellation& cancellation) {
  while (true) {
    pollfd waits[] = {{fd, POLLIN, 0}, {cancellation.descriptor(), POLLIN, 0}};
    if (::poll(waits, 2, -1) < 0 && errno != EINTR) return ErrnoStatus(errno, "cannot wait for standard input");
    if (cancellation.cancelled()) return absl::CancelledError("cancelled while reading standard input");
    if (waits[0].revents == 0) continue;
    const ssize_t bytes = ::read(fd, buffer, size);
    if (bytes >= 0) return static_cast<size_t>(bytes);
    if (errno == EISDIR) return absl::InvalidArgumentError("standard input is a folder: give a file or a pipe");
    if (errno != EINTR && errno != EAGAIN) {
      return absl::InvalidArgumentError(
          absl::StrCat(std::string(ErrnoStatus(errno, "cannot read standard input").message()), ": give a file or a pipe"));
    }
  }
}

absl::StatusOr<Descriptor> UnlinkedFile(const std::string& folder) {
  Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.valid()) return file;
  // Not every file system has O_TMPFILE.
  std::string name = folder + "/conclave-XXXXXX";
  file = Descriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.valid()) {
    return ErrnoStatus(
        errno, absl::StrCat("cannot keep standard input in \"", Excerpt(folder, 200), "\" (name another folder in TMPDIR)"));
  }
  ::unlink(name.c_str());
  return file;
}

absl::StatusOr<Descriptor> Spool(int standard_input, const SpoolPlace& place, const Cancellation& cancellation) {
  absl::StatusOr<Descriptor> file = UnlinkedFile(place.folder);
  if (!file.ok()) return file;
  std::vector<char> buffer(1 << 16);
  int64_t total = 0;
  while (true) {
    absl::StatusOr<size_t> bytes = ReadSome(standard_input, buffer.data(), buffer.size(), cancellation);
    if (!bytes.ok()) return bytes.status();
    if (*bytes == 0) break;
    total += static_cast<int64_t>(*bytes);
    if (total > place.bytes) {
      return absl::ResourceExhaustedError(absl::StrFormat(
          "standard input: more than %s: give less, or write it to a file and name that", ShowBytes(place.bytes)));
    }
    absl::Status written = WriteAll(file->get(), {buffer.data(), *bytes});
    if (!written.ok()) {
      return absl::ResourceExhaustedError(absl::StrFormat(
          "standard input: \"%s\" cannot hold all of it: %s: name a folder with more room in TMPDIR, or write it to a file",
          Excerpt(place.folder, 200), std::string(written.message())));
    }
  }
  if (total == 0) return absl::InvalidArgumentError("standard input is empty: give a file with at least a header line");
  if (::lseek(file->get(), 0, SEEK_SET) != 0) return ErrnoStatus(errno, "cannot rewind the copy of standard input");
  return file;
}

}  // namespace

absl::StatusOr<Input> Input::Open(const std::vector<std::string>& files, int standard_input, const SpoolPlace& place,
                                  const Cancellation& cancellation) {
  if (std::count(files.begin(), files.end(), "-") > 1) {
    return absl::InvalidArgumentError("-: standard input was named twice: it can be read only once");
  }
  Input input;
  for (const std::string& file : files) {
    v1::DatasetSource& source = input.sources_.emplace_back();
    if (file != "-") {
      source.set_path(file);
      continue;
    }
    absl::StatusOr<Descriptor> spool = Spool(standard_input, place, cancellation);
    if (!spool.ok()) return spool.status();
    input.spool_ = *std::move(spool);
    source.set_descriptor(input.spool_.get());
    source.set_name("stdin");
  }
  return input;
}

absl::StatusOr<std::string> ReadCode(const std::string& path, int standard_input, const Cancellation& cancellation) {
  const std::string shown = path == "-" ? "standard input" : absl::StrCat("\"", Excerpt(path, 200), "\"");
  Descriptor file;
  if (path != "-") {
    // Without O_NONBLOCK, opening a named pipe that nobody writes to would wait for ever.
    file = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.valid() && errno == ENOENT) {
      return absl::NotFoundError(
          absl::StrCat("--code: no such file: ", shown, ": name a file with the program, or - for standard input"));
    }
    struct stat found;
    if (!file.valid() || ::fstat(file.get(), &found) != 0) {
      const std::string reason(ErrnoStatus(errno, "").message());
      return absl::InvalidArgumentError(absl::StrCat("--code: cannot open ", shown, reason, ": name a file you may read"));
    }
    if (S_ISDIR(found.st_mode)) {
      return absl::InvalidArgumentError(absl::StrCat("--code: ", shown, " is a folder: name a file with the program"));
    }
  }
  std::string code(kCodeBytes + 1, '\0');
  size_t length = 0;
  while (length < code.size()) {
    absl::StatusOr<size_t> bytes =
        ReadSome(file.valid() ? file.get() : standard_input, code.data() + length, code.size() - length, cancellation);
    if (!bytes.ok()) return bytes.status();
    if (*bytes == 0) break;
    length += *bytes;
  }
  code.resize(length);
  if (length > kCodeBytes)
    return absl::InvalidArgumentError(absl::StrCat("--code: ", shown, " is longer than 1 MB: give a program"));
  if (code.find_first_not_of(" \t\r\n") == std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat("--code: ", shown, " is empty: give a program"));
  }
  return code;
}

}  // namespace conclave::cli
