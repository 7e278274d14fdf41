#include "lib/base/descriptor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

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

absl::StatusOr<Descriptor> SealedMemory(std::string_view name, std::string_view bytes) {
  Descriptor memory(::memfd_create(std::string(name).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.valid()) return ErrnoStatus(errno, "memfd_create");
  if (absl::Status status = WriteAll(memory.get(), bytes); !status.ok()) return status;
  if (::lseek(memory.get(), 0, SEEK_SET) < 0 ||
      ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0) {
    return ErrnoStatus(errno, "sealing memory");
  }
  return memory;
}

}  // namespace conclave
