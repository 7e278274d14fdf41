#include "lib/sandbox/private_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/sandbox/empty_folder.h"
#include "lib/sandbox/spawn.h"

namespace conclave {

namespace {

constexpr std::string_view kPrefix = "conclave-run-";
constexpr std::string_view kRandom = "XXXXXX";
constexpr int kAttempts = 20;
// How long a host's start may wait for the removal of one abandoned folder.
constexpr absl::Duration kSweepPatience = absl::Milliseconds(200);

enum class Claim { kOurs, kTaken, kUnknown };

// Locks an open folder. Where the file system has no such locks nobody can tell who uses it.
Claim ClaimFolder(const Descriptor& folder) {
  if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) return errno == EWOULDBLOCK ? Claim::kTaken : Claim::kUnknown;
  // Locked, but perhaps removed meanwhile by whoever had locked it before.
  struct stat status = {};
  if (::fstat(folder.get(), &status) != 0) return Claim::kUnknown;
  return status.st_nlink > 0 ? Claim::kOurs : Claim::kTaken;
}

// The open folder, if nobody uses it. Its program may have taken the right to read it away.
Descriptor OpenAbandoned(const std::string& path) {
  struct stat status = {};
  const Descriptor place(::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!place.valid() || ::fstat(place.get(), &status) != 0) return {};
  // A host that is root gives a run's folder to the run.
  if (::geteuid() != 0 && status.st_uid != ::geteuid()) return {};
  const std::string link = absl::StrCat("/proc/self/fd/", place.get());
  Descriptor folder(::open(link.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid() && errno == EACCES && ::chmod(link.c_str(), 0700) == 0)
    folder = Descriptor(::open(link.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.valid() && ClaimFolder(folder) != Claim::kOurs) folder.Reset();
  return folder;
}

}  // namespace

absl::StatusOr<PrivateFolder> PrivateFolder::Create(const std::string& parent) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string path = absl::StrCat(parent, "/", std::string(kPrefix), std::string(kRandom));
    if (::mkdtemp(path.data()) == nullptr) return ErrnoStatus(errno, absl::StrCat("no private folder in ", parent));
    // Once more with the mode, because the host's umask may have taken it away.
    if (::chmod(path.c_str(), 0700) != 0 && errno != ENOENT) {
      const int error = errno;
      ::rmdir(path.c_str());
      return ErrnoStatus(error, absl::StrCat("chmod ", path));
    }
    Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder.valid() && errno != ENOENT) {
      const int error = errno;
      ::rmdir(path.c_str());
      return ErrnoStatus(error, absl::StrCat("opening ", path));
    }
    // Another host that starts may have taken the folder for one that nobody uses: it is being removed.
    if (folder.valid() && ClaimFolder(folder) != Claim::kTaken) return PrivateFolder(std::move(path), std::move(folder));
  }
  return absl::UnavailableError(absl::StrCat("no private folder in ", parent, ": another process removes every one"));
}

void PrivateFolder::SweepAbandoned(const std::string& parent) {
  std::error_code error;
  std::vector<std::string> paths;
  for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.size() == kPrefix.size() + kRandom.size() && name.starts_with(kPrefix)) paths.push_back(entry->path().string());
  }
  for (std::string& path : paths) {
    Descriptor found = OpenAbandoned(path);
    if (!found.valid()) continue;
    PrivateFolder folder(std::move(path), std::move(found));
    folder.Remove(kSweepPatience).IgnoreError();
    folder.Disown();  // the next start goes on
  }
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
