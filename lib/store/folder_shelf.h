// FolderShelf: a ColumnStoreShelf in one folder, indexed by the store's database.
//
// Thread safety: as ColumnStoreShelf.
// Ownership: owns its database connection.
#ifndef CONCLAVE_LIB_STORE_FOLDER_SHELF_H_
#define CONCLAVE_LIB_STORE_FOLDER_SHELF_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "lib/dataset/column_store_shelf.h"
#include "lib/store/sqlite_database.h"

namespace conclave {

struct FolderShelfOptions {
  std::string folder;    // holds the files; must exist
  std::string database;  // the store's database
  int64_t bytes = 0;     // bound on all files together; the least recently used go first
  bool durable = true;   // bytes reach the disk before the index says so; false for folders that do not outlive the process
};

class FolderShelf : public ColumnStoreShelf {
 public:
  static absl::StatusOr<std::unique_ptr<FolderShelf>> Open(const FolderShelfOptions& options);

  absl::StatusOr<DatasetPtr> Find(const ColumnStoreKey& key) override;
  absl::StatusOr<std::unique_ptr<StagedColumnStore>> Stage() override;
  absl::StatusOr<DatasetPtr> Publish(const ColumnStoreKey& key, std::unique_ptr<StagedColumnStore> staged,
                                     const v1::Profile& profile) override;

 private:
  FolderShelf(FolderShelfOptions options, SqliteDatabase database)
      : options_(std::move(options)), database_(std::move(database)) {}
  absl::StatusOr<DatasetPtr> FindLocked(const ColumnStoreKey& key);
  absl::Status EvictLocked(const std::string& keep);

  const FolderShelfOptions options_;
  std::mutex mutex_;
  SqliteDatabase database_;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_STORE_FOLDER_SHELF_H_
