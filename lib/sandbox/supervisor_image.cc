#include "lib/sandbox/supervisor_image.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

namespace conclave {
namespace {

absl::StatusOr<Descriptor> EmbeddedImage() {
  constexpr char kName[] = "conclave-supervisor";
  // Newer kernels want to be told that memory is for running; older ones do not know the word.
  Descriptor memory(::memfd_create(kName, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC));
  if (!memory.valid() && errno == EINVAL) memory = Descriptor(::memfd_create(kName, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.valid() && IsForbidden(errno)) return UnnamedFile(EmbeddedSupervisor(), 0555);
  if (!memory.valid()) return ErrnoStatus(errno, "memfd_create");
  if (absl::Status status = WriteAll(memory.get(), EmbeddedSupervisor()); !status.ok()) return status;
  if (::fchmod(memory.get(), 0555) != 0) return ErrnoStatus(errno, "fchmod");
  if (::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0) {
    return ErrnoStatus(errno, "sealing");
  }
  return memory;
}

}  // namespace

absl::StatusOr<SupervisorImage> SupervisorImage::Open(const std::string& path) {
  if (path.empty()) {
    absl::StatusOr<Descriptor> image = EmbeddedImage();
    if (!image.ok()) {
      return absl::UnavailableError(absl::StrCat("the embedded supervisor cannot be put into memory (",
                                                 std::string(image.status().message()),
                                                 "); put its file, conclave-supervisor, beside the guest programs"));
    }
    return SupervisorImage(*std::move(image), "embedded");
  }
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return ErrnoStatus(errno, absl::StrCat("supervisor_path: ", path));
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || (status.st_mode & 0111) == 0) {
    return absl::InvalidArgumentError(absl::StrCat("supervisor_path: ", path, " is not an executable file"));
  }
  return SupervisorImage(std::move(file), path);
}

}  // namespace conclave
