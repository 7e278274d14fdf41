#include "lib/base/descriptor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

namespace conclave {

void Descriptor::Reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

absl::Status ErrnoStatus(int error, std::string_view what) { return absl::ErrnoToStatus(error, std::string(what)); }

absl::Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoStatus(errno, "write");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadAll(int fd, size_t limit) {
  std::string out;
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoStatus(errno, "read");
    if (count == 0) return out;
    if (out.size() + static_cast<size_t>(count) > limit) {
      return absl::ResourceExhaustedError(absl::StrCat("more than ", limit, " bytes"));
    }
    out.append(buffer, static_cast<size_t>(count));
  }
}

bool IsForbidden(int error) { return error == EPERM || error == ENOSYS || error == EACCES; }

absl::StatusOr<Descriptor> UnnamedFile(std::string_view bytes, unsigned mode) {
  int error = 0;
  for (const char* folder : {"/tmp", "/dev/shm"}) {
    const Descriptor file(::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (!file.valid()) {
      error = errno;
      continue;
    }
    if (absl::Status status = WriteAll(file.get(), bytes); !status.ok()) return status;
    if (::fchmod(file.get(), mode) != 0) return ErrnoStatus(errno, "fchmod");
    // A second opening that cannot write; the first ends here, so that nothing can, and the file may be executed.
    Descriptor reading(::open(("/proc/self/fd/" + std::to_string(file.get())).c_str(), O_RDONLY | O_CLOEXEC));
    if (!reading.valid()) return ErrnoStatus(errno, "opening a file without a name");
    return reading;
  }
  return ErrnoStatus(error, "making a file without a name in /tmp or /dev/shm");
}

absl::StatusOr<Descriptor> SealedMemory(std::string_view name, std::string_view bytes) {
  // Some machines refuse memory that does not say it is not for running (vm.memfd_noexec); older kernels do not know the word.
  Descriptor memory(::memfd_create(std::string(name).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL));
  if (!memory.valid() && errno == EINVAL) {
    memory = Descriptor(::memfd_create(std::string(name).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  }
  if (!memory.valid() && IsForbidden(errno)) return UnnamedFile(bytes, 0400);
  if (!memory.valid()) return ErrnoStatus(errno, "memfd_create");
  if (absl::Status status = WriteAll(memory.get(), bytes); !status.ok()) return status;
  if (::lseek(memory.get(), 0, SEEK_SET) < 0 ||
      ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0) {
    return ErrnoStatus(errno, "sealing memory");
  }
  return memory;
}

}  // namespace conclave
