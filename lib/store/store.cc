#include "lib/store/store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lib/store/folder_shelf.h"

namespace conclave {
namespace {

constexpr char kTemporaryPrefix[] = "conclave-store-";
// A folder that has no lock by then never will: it is locked at once after it was made.
constexpr absl::Duration kLockedByThen = absl::Minutes(1);
constexpr int kAttempts = 20;

absl::Status MakeFolder(const std::string& folder) {
  const std::filesystem::path parent = std::filesystem::path(folder).parent_path();
  std::error_code error;
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (error) return ErrnoStatus(error.value(), absl::StrCat("store folder ", folder));
  if (::mkdir(folder.c_str(), 0700) == 0) {
    // Once more, because the host's umask may have taken the mode away.
    if (::chmod(folder.c_str(), 0700) == 0) return absl::OkStatus();
  } else if (errno == EEXIST) {
    return absl::OkStatus();
  }
  return ErrnoStatus(errno, absl::StrCat("store folder ", folder));
}

// An empty file is a database without tables. Made here, because SQLite would make one that can be opened as the host's umask
// wants; what it puts beside a database has the database's mode.
absl::Status MakeDatabaseFile(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid() && errno == EEXIST) return absl::OkStatus();
  if (!file.valid() || ::fchmod(file.get(), 0600) != 0) return ErrnoStatus(errno, path);
  return absl::OkStatus();
}

// The store holds what files said: nobody else may look into it or put files there.
absl::Status CheckFolder(const std::string& folder) {
  struct stat status = {};
  if (::stat(folder.c_str(), &status) != 0) return ErrnoStatus(errno, absl::StrCat("store folder ", folder));
  if (!S_ISDIR(status.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat("store folder ", folder, " is not a folder: name another"));
  }
  if (status.st_uid != ::geteuid()) {
    return absl::FailedPreconditionError(absl::StrCat("store folder ", folder, " belongs to another user: name another"));
  }
  if ((status.st_mode & 0077) != 0) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "store folder %s has mode %03o, so others may enter it: chmod 700 it, or name another", folder, status.st_mode & 0777));
  }
  return absl::OkStatus();
}

// The inode of what is at `path`, not followed; 0: nothing.
ino_t InodeOf(const std::string& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

std::string ColumnsOf(const std::string& folder) { return absl::StrCat(folder, "/columns"); }
std::string DatabaseOf(const std::string& folder) { return absl::StrCat(folder, "/conclave.db"); }
std::string LockOf(const std::string& folder) { return absl::StrCat(folder, "/lock"); }

// The lock of a folder, held; none, with errno set, where another process has it or is removing the folder.
Descriptor LockFolder(const std::string& folder) {
  Descriptor lock(::open(LockOf(folder).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat status = {};
  // Whatever the host's umask leaves: who sweeps opens it once more.
  if (lock.valid() && ::fchmod(lock.get(), 0600) != 0) lock.Reset();
  if (!lock.valid() ||
      (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0 && ::fstat(lock.get(), &status) == 0 && status.st_nlink > 0))
    return lock;
  if (status.st_ino != 0) errno = EWOULDBLOCK;  // locked, but removed by whoever had it before
  lock.Reset();
  return lock;
}

// The lock goes last, so that a removal that is cut short is one that can be taken up.
void RemoveTemporaryFolder(const std::string& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> rest;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path() != LockOf(folder)) rest.push_back(entry->path());
  }
  for (const auto& path : rest) std::filesystem::remove_all(path, error);
  std::filesystem::remove_all(folder, error);
}

// Removes the folders of processes that died. A folder whose lock cannot be had is in use; one that vanishes meanwhile is
// being removed by another process. The lock is held until the folder is gone.
void SweepTemporaryFolders(const std::string& parent) {
  std::error_code error;
  std::vector<std::string> found;
  for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    if (absl::StartsWith(entry->path().filename().string(), kTemporaryPrefix)) found.push_back(entry->path().string());
  }
  for (const std::string& folder : found) {
    struct stat status = {};
    if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid()) continue;
    // A folder without a lock file has just been made, or its maker died before it made one.
    const bool young = absl::Now() - absl::TimeFromTimespec(status.st_mtim) < kLockedByThen;
    if (young && ::access(LockOf(folder).c_str(), F_OK) != 0) continue;
    if (const Descriptor lock = LockFolder(folder); lock.valid()) RemoveTemporaryFolder(folder);
  }
}

struct TemporaryPlace {
  std::string folder;
  Descriptor lock;
};

// Whatever is wrong with the place, it is none of a job's: a missing one must not pass for a missing file.
absl::Status NoTemporaryFolder(int error, const std::string& parent) {
  const absl::Status status = ErrnoStatus(error, "");
  const std::string what = absl::StrCat("no temporary folder can be made in ", parent, ": ", std::strerror(error),
                                        ": set TMPDIR to a folder that can be written, or name a store folder");
  if (absl::IsResourceExhausted(status)) return absl::ResourceExhaustedError(what);
  return absl::FailedPreconditionError(what);
}

// A new folder, locked. One that was long in the making may be swept before it is locked; then another one is made.
absl::StatusOr<TemporaryPlace> MakeTemporaryFolder(const std::string& parent) {
  for (int attempt = 1;; ++attempt) {
    std::string folder = absl::StrCat(parent, "/", kTemporaryPrefix, "XXXXXX");
    if (::mkdtemp(folder.data()) == nullptr || (::chmod(folder.c_str(), 0700) != 0 && errno != ENOENT)) {
      return NoTemporaryFolder(errno, parent);
    }
    if (Descriptor lock = LockFolder(folder); lock.valid()) return TemporaryPlace{std::move(folder), std::move(lock)};
    if ((errno != EWOULDBLOCK && errno != ENOENT) || attempt == kAttempts)
      return ErrnoStatus(errno, absl::StrCat("locking ", folder));
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> Store::Open(const StoreOptions& options) {
  auto store = std::unique_ptr<Store>(new Store());
  const bool temporary = options.folder.empty();
  // Also before a store that lasts: who never asks for another would leave what was left for ever.
  SweepTemporaryFolders(options.temporary_folder);
  if (temporary) {
    absl::StatusOr<TemporaryPlace> place = MakeTemporaryFolder(options.temporary_folder);
    if (!place.ok()) return place.status();
    store->folder_ = std::move(place->folder);
    store->lock_ = std::move(place->lock);
  } else {
    store->folder_ = options.folder;
    if (absl::Status status = MakeFolder(options.folder); !status.ok()) return status;
    if (absl::Status status = CheckFolder(options.folder); !status.ok()) return status;
  }
  const std::string columns = ColumnsOf(store->folder_);
  if (absl::Status status = MakeFolder(columns); !status.ok()) return status;
  const std::string database = DatabaseOf(store->folder_);

  if (absl::Status status = MakeDatabaseFile(database); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<Ledger>> ledger = Ledger::Open(database, !temporary);
  if (!ledger.ok()) return ledger.status();
  store->ledger_ = *std::move(ledger);
  absl::StatusOr<std::unique_ptr<FolderShelf>> shelf =
      FolderShelf::Open({columns, database, options.column_store_bytes, !temporary});
  if (!shelf.ok()) return shelf.status();
  store->shelf_ = *std::move(shelf);
  store->inode_ = InodeOf(store->folder_);
  store->database_inode_ = InodeOf(database);
  return store;
}

bool Store::InPlace() const {
  struct stat lock = {};
  if (temporary() && (::fstat(lock_.get(), &lock) != 0 || InodeOf(LockOf(folder_)) != lock.st_ino)) return false;
  return InodeOf(folder_) == inode_ && InodeOf(DatabaseOf(folder_)) == database_inode_ && InodeOf(ColumnsOf(folder_)) != 0;
}

Store::~Store() {
  ledger_.reset();
  shelf_.reset();
  // What cannot be removed now is swept by the next process, once this one's lock is gone.
  // What has come in the place of a folder that was removed is not ours.
  if (temporary() && (inode_ == 0 || InodeOf(folder_) == inode_)) RemoveTemporaryFolder(folder_);
}

}  // namespace conclave
