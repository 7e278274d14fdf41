// ColumnStoreShelf: where column stores are kept between their making and their use.
// A dataset is parsed once, whoever asks: the key names everything its reading depends on.
//
// Thread safety: every function may be called from any thread at any time; several processes may share one shelf.
// Ownership: datasets own their descriptors and stay usable after the shelf has dropped the file.
#ifndef CONCLAVE_LIB_DATASET_COLUMN_STORE_SHELF_H_
#define CONCLAVE_LIB_DATASET_COLUMN_STORE_SHELF_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "conclave/dataset.h"
#include "conclave/v1/profile.pb.h"
#include "lib/base/descriptor.h"

namespace conclave {

struct ColumnStoreKey {
  std::string scope;    // tenant; nothing is shared across scopes
  std::string digest;   // SHA-256 of the file's bytes, lower-case hex
  std::string options;  // reading options in a canonical form
  std::string reader;   // reader name and version
};

// A file to write a column store to; removed when destroyed unless it was published.
class StagedColumnStore {
 public:
  virtual ~StagedColumnStore() = default;
  // Open for reading and writing, empty. Borrowed.
  virtual int descriptor() const = 0;
};

class ColumnStoreShelf {
 public:
  virtual ~ColumnStoreShelf() = default;

  // The dataset with this key, or null when it is not there.
  virtual absl::StatusOr<DatasetPtr> Find(const ColumnStoreKey& key) = 0;

  // ResourceExhausted, naming the folder, when the disk is full.
  virtual absl::StatusOr<std::unique_ptr<StagedColumnStore>> Stage() = 0;

  // Makes the staged file visible under `key`, whole or not at all, and opens it for reading. Publishing a key that is there
  // already returns what is there. `staged` must come from this shelf.
  virtual absl::StatusOr<DatasetPtr> Publish(const ColumnStoreKey& key, std::unique_ptr<StagedColumnStore> staged,
                                             const v1::Profile& profile) = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_DATASET_COLUMN_STORE_SHELF_H_
