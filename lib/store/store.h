// Store: one folder on disk that holds column stores and the ledger.
//
// Thread safety: every function may be called from any thread at any time; several processes may share one folder.
// Ownership: a temporary store removes its folder when destroyed; folders of processes that died are removed by the next one.
#ifndef CONCLAVE_LIB_STORE_STORE_H_
#define CONCLAVE_LIB_STORE_STORE_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lib/base/descriptor.h"
#include "lib/dataset/column_store_shelf.h"
#include "lib/store/ledger.h"

namespace conclave {

struct StoreOptions {
  // Folder to use, made with mode 0700 when missing. Empty: a private one below `temporary_folder`.
  std::string folder;
  std::string temporary_folder = "/tmp";
  // Column stores beyond this many bytes in all are dropped, least recently used first.
  int64_t column_store_bytes = 20LL << 30;
};

class Store {
 public:
  // PermissionDenied or ResourceExhausted naming the folder when it cannot be used; FailedPrecondition when others may enter
  // it.
  static absl::StatusOr<std::unique_ptr<Store>> Open(const StoreOptions& options);
  ~Store();

  Ledger& ledger() { return *ledger_; }
  ColumnStoreShelf& shelf() { return *shelf_; }
  const std::string& folder() const { return folder_; }
  bool temporary() const { return lock_.valid(); }

  // Whether the folder still is where it was made, with what a job needs. Programs that clean temporary folders remove what
  // looks old.
  bool InPlace() const;

 private:
  Store() = default;

  std::string folder_;
  ino_t inode_ = 0;  // the folder's
  ino_t database_inode_ = 0;
  Descriptor lock_;  // held while a temporary folder is in use
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<ColumnStoreShelf> shelf_;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_STORE_STORE_H_
