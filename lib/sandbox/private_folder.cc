#include "lib/sandbox/private_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "lib/sandbox/empty_folder.h"
#include "lib/sandbox/spawn.h"

namespace conclave {

absl::StatusOr<PrivateFolder> PrivateFolder::Create(const std::string& parent) {
  std::string path = absl::StrCat(parent, "/conclave-XXXXXX");
  if (::mkdtemp(path.data()) == nullptr) return ErrnoStatus(errno, absl::StrCat("no private folder in ", parent));
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid()) {
    const int error = errno;
    ::rmdir(path.c_str());
    return ErrnoStatus(error, absl::StrCat("opening ", path));
  }
  return PrivateFolder(std::move(path), std::move(folder));
}

PrivateFolder::~PrivateFolder() { Remove().IgnoreError(); }

absl::Status PrivateFolder::Remove(absl::Duration patience) {
  if (!folder_.valid()) return absl::OkStatus();
  const int64_t until_ns =
      patience == absl::InfiniteDuration() ? 0 : MonotonicNanoseconds() + absl::ToInt64Nanoseconds(patience);
  int error = conclave_empty_folder(folder_.get(), until_ns);
  if (error == ETIME) return absl::DeadlineExceededError(absl::StrCat("removing ", path_, " takes longer"));
  folder_.Reset();
  if (::rmdir(path_.c_str()) != 0 && errno != ENOENT && error == 0) error = errno;
  return error == 0 ? absl::OkStatus() : ErrnoStatus(error, absl::StrCat("removing ", path_));
}

}  // namespace conclave
