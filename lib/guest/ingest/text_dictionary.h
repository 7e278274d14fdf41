// TextDictionary: the distinct texts of a column with their counts, in a table that is addressed by hash. Becomes a mere count
// of distinct hashes when the texts turn out to be too many or too long to keep.
//
// Thread safety: belongs to one thread.
// Ownership: borrows the budget; owns the texts.
#ifndef CONCLAVE_LIB_GUEST_INGEST_TEXT_DICTIONARY_H_
#define CONCLAVE_LIB_GUEST_INGEST_TEXT_DICTIONARY_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/guest/ingest/memory_budget.h"
#include "lib/guest/ingest/value_counter.h"

namespace conclave::guest {

class TextDictionary {
 public:
  explicit TextDictionary(MemoryBudget* budget) : share_(budget), hashes_only_(budget) { hashes_only_.CountDistinctOnly(); }

  void Add(std::string_view text);

  uint64_t distinct() const { return keeping_ ? entries_.size() : hashes_only_.distinct(); }
  bool exact() const { return keeping_ || hashes_only_.exact(); }
  // True while the texts themselves are kept.
  bool keeping() const { return keeping_; }
  // Texts added, with repetitions, and their bytes.
  uint64_t added() const { return added_; }
  uint64_t added_bytes() const { return added_bytes_; }

  // Puts the entries in order of their bytes; entry numbers are places in that order from then on. Only while keeping.
  void Sort();
  size_t entries() const { return entries_.size(); }
  std::string_view Entry(size_t entry) const { return TextOf(entries_[entry]); }
  uint64_t Count(size_t entry) const { return entries_[entry].count; }
  // The entry of `text`, or -1.
  int32_t Find(std::string_view text) const;

  size_t memory() const { return share_.bytes() + hashes_only_.memory(); }
  // Stops keeping texts; the second call also stops counting.
  void Forget();
  // Stops keeping texts and counting.
  void Drop();

 private:
  struct Entry_ {
    uint64_t offset;
    uint64_t hash;
    uint64_t count;
    uint32_t size;
  };

  static uint64_t HashOf(std::string_view text);
  std::string_view TextOf(const Entry_& entry) const { return {pool_.data() + entry.offset, entry.size}; }
  bool Reserve(size_t text_size);
  void Rehash(size_t slots);
  size_t SlotOf(std::string_view text, uint64_t hash) const;

  MemoryShare share_;
  ValueCounter hashes_only_;
  bool keeping_ = true;
  uint64_t added_ = 0;
  uint64_t added_bytes_ = 0;
  std::vector<char> pool_;
  std::vector<Entry_> entries_;
  std::vector<uint32_t> table_;  // entry + 1; 0: free
};

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_TEXT_DICTIONARY_H_
