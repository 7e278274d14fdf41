// MemoryShelf: a ColumnStoreShelf in anonymous memory, which counts what is asked of it.
#ifndef CONCLAVE_TESTS_SUPPORT_MEMORY_SHELF_H_
#define CONCLAVE_TESTS_SUPPORT_MEMORY_SHELF_H_

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "lib/base/descriptor.h"
#include "lib/dataset/column_store_shelf.h"

namespace conclave {

class MemoryShelf : public ColumnStoreShelf {
 public:
  absl::StatusOr<DatasetPtr> Find(const ColumnStoreKey& key) override {
    const auto found = datasets_.find(Tuple(key));
    return found == datasets_.end() ? DatasetPtr() : found->second;
  }
  absl::StatusOr<std::unique_ptr<StagedColumnStore>> Stage() override {
    Descriptor memory(::memfd_create("staged", MFD_CLOEXEC));
    if (!memory.valid()) return ErrnoStatus(errno, "memfd_create");
    ++staged;
    return std::make_unique<Staged>(std::move(memory));
  }
  absl::StatusOr<DatasetPtr> Publish(const ColumnStoreKey& key, std::unique_ptr<StagedColumnStore> store,
                                     const v1::Profile& profile) override {
    ++published;
    const int fd = ::fcntl(store->descriptor(), F_DUPFD_CLOEXEC, 3);
    return datasets_.emplace(Tuple(key), std::make_shared<const Dataset>(profile, fd)).first->second;
  }

  int staged = 0;
  int published = 0;

 private:
  class Staged : public StagedColumnStore {
   public:
    explicit Staged(Descriptor file) : file_(std::move(file)) {}
    int descriptor() const override { return file_.get(); }

   private:
    Descriptor file_;
  };

  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  static Key Tuple(const ColumnStoreKey& key) { return {key.scope, key.digest, key.options, key.reader}; }

  std::map<Key, DatasetPtr> datasets_;
};

}  // namespace conclave

#endif  // CONCLAVE_TESTS_SUPPORT_MEMORY_SHELF_H_
