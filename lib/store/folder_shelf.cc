#include "lib/store/folder_shelf.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lib/base/digest.h"
#include "lib/store/store_schema.h"

namespace conclave {
namespace {

// An unnamed file: nothing is left behind when the process dies before it is published.
class UnnamedStore : public StagedColumnStore {
 public:
  explicit UnnamedStore(Descriptor file) : file_(std::move(file)) {}
  int descriptor() const override { return file_.get(); }

 private:
  Descriptor file_;
};

std::string FileName(const ColumnStoreKey& key) {
  std::string text;
  for (const std::string& part : {key.scope, key.digest, key.options, key.reader}) {
    absl::StrAppend(&text, part.size(), ":", part);
  }
  return Digest(text) + ".columns";
}

// What changes when somebody writes to the file, replaces it or restores it from elsewhere. Such a file is made again, because
// nobody has held its content against the user's file.
std::string StampOf(const struct stat& status) {
  return absl::StrCat(status.st_ino, " ", status.st_mtim.tv_sec, ".", status.st_mtim.tv_nsec, " ", status.st_ctim.tv_sec, ".",
                      status.st_ctim.tv_nsec);
}

// Removes a file, or whatever else stands in its place; a folder that holds something is not ours and stays.
absl::Status Remove(const std::string& path) {
  std::error_code error;
  std::filesystem::remove(path, error);
  return error ? ErrnoStatus(error.value(), path) : absl::OkStatus();
}

absl::StatusOr<DatasetPtr> OpenDataset(const std::string& path, v1::Profile profile) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid()) return ErrnoStatus(errno, path);
  return std::make_shared<const Dataset>(std::move(profile), file.Release());
}

}  // namespace

absl::StatusOr<std::unique_ptr<FolderShelf>> FolderShelf::Open(const FolderShelfOptions& options) {
  absl::StatusOr<SqliteDatabase> database = OpenStoreDatabase(options.database, options.durable);
  if (!database.ok()) return database.status();
  return std::unique_ptr<FolderShelf>(new FolderShelf(options, *std::move(database)));
}

absl::StatusOr<DatasetPtr> FolderShelf::Find(const ColumnStoreKey& key) {
  std::lock_guard<std::mutex> lock(mutex_);
  return FindLocked(key);
}

absl::StatusOr<DatasetPtr> FolderShelf::FindLocked(const ColumnStoreKey& key) {
  auto select = database_.Prepare(
      "UPDATE datasets SET used_us = ?5 WHERE scope = ?1 AND digest = ?2 AND options = ?3 AND reader = ?4 "
      "RETURNING file, stamp, profile");
  if (!select.ok()) return select.status();
  absl::StatusOr<bool> row = select->Bind(1, key.scope)
                                 .Bind(2, key.digest)
                                 .Bind(3, key.options)
                                 .Bind(4, key.reader)
                                 .Bind(5, absl::ToUnixMicros(absl::Now()))
                                 .Step();
  if (!row.ok()) return row.status();
  if (!*row) return DatasetPtr();
  const std::string file = select->Text(0);
  const std::string stamp = select->Text(1);
  v1::Profile profile;
  const bool readable = profile.ParseFromString(select->Text(2));
  if (absl::StatusOr<bool> end = select->Step(); !end.ok()) return end.status();
  const std::string path = absl::StrCat(options_.folder, "/", file);
  struct stat status = {};
  if (readable && ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && StampOf(status) == stamp) {
    return OpenDataset(path, std::move(profile));
  }
  // The file went away or is not what was recorded: forget it, so that it is made again.
  auto forget = database_.Prepare("DELETE FROM datasets WHERE file = ?");
  if (!forget.ok()) return forget.status();
  if (absl::Status deleted = forget->Bind(1, file).Run(); !deleted.ok()) return deleted;
  if (absl::Status removed = Remove(path); !removed.ok()) return removed;
  return DatasetPtr();
}

absl::StatusOr<std::unique_ptr<StagedColumnStore>> FolderShelf::Stage() {
  Descriptor file(::open(options_.folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file.valid()) {
    return ErrnoStatus(errno, absl::StrCat(options_.folder, ": cannot make a file there; name another store folder"));
  }
  // Whatever the host's umask leaves: the file is opened once more when it is used.
  if (::fchmod(file.get(), 0600) != 0) return ErrnoStatus(errno, options_.folder);
  return std::make_unique<UnnamedStore>(std::move(file));
}

absl::StatusOr<DatasetPtr> FolderShelf::Publish(const ColumnStoreKey& key, std::unique_ptr<StagedColumnStore> staged,
                                                const v1::Profile& profile) {
  if (options_.durable && ::fdatasync(staged->descriptor()) != 0) {
    return ErrnoStatus(errno, absl::StrCat(options_.folder, ": writing a column store"));
  }
  std::lock_guard<std::mutex> lock(mutex_);
  absl::StatusOr<DatasetPtr> present = FindLocked(key);
  if (!present.ok() || *present != nullptr) return present;

  const std::string file = FileName(key);
  const std::string path = absl::StrCat(options_.folder, "/", file);
  const std::string unnamed = absl::StrCat("/proc/self/fd/", staged->descriptor());
  if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    // A file without a row is what a process left that died between the two; or another process is about to add the row.
    if (errno != EEXIST) return ErrnoStatus(errno, path);
    if (absl::Status removed = Remove(path); !removed.ok()) return removed;
    if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) != 0) return ErrnoStatus(errno, path);
  }
  // Only now, because a link changes the time of change.
  struct stat status = {};
  if (::fstat(staged->descriptor(), &status) != 0) return ErrnoStatus(errno, path);
  auto insert = database_.Prepare("INSERT OR REPLACE INTO datasets VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (!insert.ok()) return insert.status();
  absl::Status recorded = insert->Bind(1, key.scope)
                              .Bind(2, key.digest)
                              .Bind(3, key.options)
                              .Bind(4, key.reader)
                              .Bind(5, file)
                              .Bind(6, int64_t{status.st_size})
                              .Bind(7, StampOf(status))
                              .Bind(8, absl::ToUnixMicros(absl::Now()))
                              .BindBlob(9, profile.SerializeAsString())
                              .Run();
  if (!recorded.ok()) return recorded;
  absl::StatusOr<DatasetPtr> dataset = OpenDataset(path, profile);
  if (absl::Status evicted = EvictLocked(file); !evicted.ok()) return evicted;
  return dataset;
}

absl::Status FolderShelf::EvictLocked(const std::string& keep) {
  auto select = database_.Prepare(
      "SELECT file FROM (SELECT file, SUM(bytes) OVER (ORDER BY file <> ?1, used_us DESC, file) AS below FROM datasets) "
      "WHERE below > ?2 AND file <> ?1");
  if (!select.ok()) return select.status();
  select->Bind(1, keep).Bind(2, options_.bytes);
  std::vector<std::string> files;
  while (true) {
    absl::StatusOr<bool> row = select->Step();
    if (!row.ok()) return row.status();
    if (!*row) break;
    files.push_back(select->Text(0));
  }
  for (const std::string& file : files) {
    const std::string path = absl::StrCat(options_.folder, "/", file);
    if (absl::Status removed = Remove(path); !removed.ok()) return removed;
    auto forget = database_.Prepare("DELETE FROM datasets WHERE file = ?");
    if (!forget.ok()) return forget.status();
    if (absl::Status status = forget->Bind(1, file).Run(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace conclave
