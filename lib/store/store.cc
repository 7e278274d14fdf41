#include "lib/store/store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/store/folder_shelf.h"

namespace conclave {
namespace {

constexpr char kTemporaryPrefix[] = "conclave-store-";

absl::Status MakeFolder(const std::string& folder) {
  const std::filesystem::path parent = std::filesystem::path(folder).parent_path();
  std::error_code error;
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (error) return ErrnoStatus(error.value(), absl::StrCat("store folder ", folder));
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return ErrnoStatus(errno, absl::StrCat("store folder ", folder));
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

Descriptor LockFolder(const std::string& folder) {
  Descriptor lock(::open(absl::StrCat(folder, "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.valid() && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) lock.Reset();
  return lock;
}

// Removes the folders of processes that died. A folder whose lock cannot be had is in use; one that vanishes meanwhile is
// being removed by another process.
void SweepTemporaryFolders(const std::string& parent) {
  std::error_code error;
  std::vector<std::filesystem::path> dead;
  for (const auto& entry : std::filesystem::directory_iterator(parent, error)) {
    if (!absl::StartsWith(entry.path().filename().string(), kTemporaryPrefix)) continue;
    struct stat status = {};
    if (::lstat(entry.path().c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid()) continue;
    // A folder without a lock file has just been made.
    if (::access(absl::StrCat(entry.path().string(), "/lock").c_str(), F_OK) != 0) continue;
    if (LockFolder(entry.path().string()).valid()) dead.push_back(entry.path());
  }
  for (const auto& folder : dead) std::filesystem::remove_all(folder, error);
}

absl::StatusOr<std::string> MakeTemporaryFolder(const std::string& parent) {
  std::string folder = absl::StrCat(parent, "/", kTemporaryPrefix, "XXXXXX");
  if (::mkdtemp(folder.data()) == nullptr) return ErrnoStatus(errno, absl::StrCat("temporary folder in ", parent));
  return folder;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> Store::Open(const StoreOptions& options) {
  auto store = std::unique_ptr<Store>(new Store());
  const bool temporary = options.folder.empty();
  if (temporary) {
    SweepTemporaryFolders(options.temporary_folder);
    absl::StatusOr<std::string> folder = MakeTemporaryFolder(options.temporary_folder);
    if (!folder.ok()) return folder.status();
    store->folder_ = *std::move(folder);
    store->lock_ = LockFolder(store->folder_);
    if (!store->lock_.valid()) return ErrnoStatus(errno, absl::StrCat("locking ", store->folder_));
  } else {
    store->folder_ = options.folder;
    if (absl::Status status = MakeFolder(options.folder); !status.ok()) return status;
    if (absl::Status status = CheckFolder(options.folder); !status.ok()) return status;
  }
  const std::string columns = absl::StrCat(store->folder_, "/columns");
  if (absl::Status status = MakeFolder(columns); !status.ok()) return status;
  const std::string database = absl::StrCat(store->folder_, "/conclave.db");

  absl::StatusOr<std::unique_ptr<Ledger>> ledger = Ledger::Open(database);
  if (!ledger.ok()) return ledger.status();
  store->ledger_ = *std::move(ledger);
  absl::StatusOr<std::unique_ptr<FolderShelf>> shelf =
      FolderShelf::Open({columns, database, options.column_store_bytes, !temporary});
  if (!shelf.ok()) return shelf.status();
  store->shelf_ = *std::move(shelf);
  return store;
}

Store::~Store() {
  ledger_.reset();
  shelf_.reset();
  // What cannot be removed now is swept by the next process, once this one's lock is gone.
  std::error_code error;
  if (temporary()) std::filesystem::remove_all(folder_, error);
}

}  // namespace conclave
