// Dataset: a file that was read once, as its profile and an open column store.
//
// Thread safety: immutable; may be shared between threads.
// Ownership: owns the descriptor of the column store; copies of the shared pointer keep it open.
#ifndef CONCLAVE_DATASET_H_
#define CONCLAVE_DATASET_H_

#include <memory>
#include <utility>

#include "conclave/v1/profile.pb.h"

namespace conclave {

class Dataset {
 public:
  // Takes ownership of `column_store`, a descriptor open for reading, or -1 where none is needed (tests).
  Dataset(v1::Profile profile, int column_store) : profile_(std::move(profile)), column_store_(column_store) {}
  ~Dataset();
  Dataset(const Dataset&) = delete;
  Dataset& operator=(const Dataset&) = delete;

  const v1::Profile& profile() const { return profile_; }
  int column_store() const { return column_store_; }

 private:
  v1::Profile profile_;
  int column_store_;
};

using DatasetPtr = std::shared_ptr<const Dataset>;

}  // namespace conclave

#endif  // CONCLAVE_DATASET_H_
