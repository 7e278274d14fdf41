// ValueCounter: how many distinct 64-bit values were seen, exactly as long as memory lasts, and which were the most frequent,
// as long as there are not too many. Also used over hashes of texts.
//
// Thread safety: belongs to one thread.
// Ownership: borrows the budget.
#ifndef CONCLAVE_LIB_GUEST_INGEST_VALUE_COUNTER_H_
#define CONCLAVE_LIB_GUEST_INGEST_VALUE_COUNTER_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lib/guest/ingest/memory_budget.h"

namespace conclave::guest {

// Mixes all bits of a value, so that its low bits can address a table.
inline uint64_t MixBits(uint64_t value) {
  value ^= value >> 32;
  value *= 0xd6e8feb86659fd93u;
  value ^= value >> 32;
  value *= 0xd6e8feb86659fd93u;
  return value ^ value >> 32;
}

class ValueCounter {
 public:
  explicit ValueCounter(MemoryBudget* budget) : share_(budget) {}

  // Values will lie in [low, high]: when that range is narrow, a table of counts or bits over it replaces hashing. Call before
  // the first Add, and add nothing outside of the range. `unit` divides every value (microseconds of whole days).
  void ExpectRange(int64_t low, int64_t high, int64_t unit, uint64_t values);
  // Do not count how often values occur.
  void CountDistinctOnly() { counting_ = false; }

  void Add(uint64_t value) {
    if (mode_ == Mode::kHash) {
      AddHashed(value);
    } else if (mode_ == Mode::kRange) {
      AddRanged(value);
    }
  }

  uint64_t distinct() const { return distinct_; }
  bool exact() const { return mode_ != Mode::kStopped; }
  // Values with their counts, the most frequent first, at most `most`; ties by order of `less` are the caller's. Empty when
  // counting stopped.
  std::vector<std::pair<uint64_t, uint64_t>> Frequent(size_t most) const;

  size_t memory() const { return share_.bytes(); }
  // Frees everything; `distinct` stays as a lower bound.
  void Stop();

 private:
  enum class Mode { kHash, kRange, kStopped };

  void AddHashed(uint64_t value);
  void AddRanged(uint64_t value);
  void Grow();

  MemoryShare share_;
  Mode mode_ = Mode::kHash;
  bool counting_ = true;
  uint64_t distinct_ = 0;
  // Hash mode: a table of values, 0 for free slots (the value 0 is kept apart), and of counts while counting.
  std::vector<uint64_t> values_;
  std::vector<uint64_t> counts_;
  uint64_t zeros_ = 0;
  // Range mode: counts_ or bits_ over the range.
  int64_t low_ = 0;
  int64_t unit_ = 1;
  std::vector<uint64_t> bits_;
};

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_VALUE_COUNTER_H_
