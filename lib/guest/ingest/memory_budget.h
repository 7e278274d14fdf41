// MemoryBudget: what dictionaries and counters of all columns may use together.
//
// Thread safety: belongs to one thread.
#ifndef CONCLAVE_LIB_GUEST_INGEST_MEMORY_BUDGET_H_
#define CONCLAVE_LIB_GUEST_INGEST_MEMORY_BUDGET_H_

#include <cstddef>

namespace conclave::guest {

class MemoryBudget {
 public:
  explicit MemoryBudget(size_t limit) : limit_(limit) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // False, and nothing taken, when it does not fit.
  bool Take(size_t bytes) {
    if (bytes > limit_ - used_) return false;
    used_ += bytes;
    return true;
  }
  void Give(size_t bytes) { used_ -= bytes; }
  size_t used() const { return used_; }

 private:
  size_t limit_;
  size_t used_ = 0;
};

// A part of the budget that is held as long as this lives.
class MemoryShare {
 public:
  explicit MemoryShare(MemoryBudget* budget) : budget_(budget) {}
  ~MemoryShare() { budget_->Give(bytes_); }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

  // Makes this share `bytes` large; false, and unchanged, when that does not fit.
  bool Resize(size_t bytes) {
    if (bytes > bytes_ && !budget_->Take(bytes - bytes_)) return false;
    if (bytes < bytes_) budget_->Give(bytes_ - bytes);
    bytes_ = bytes;
    return true;
  }
  size_t bytes() const { return bytes_; }

 private:
  MemoryBudget* budget_;
  size_t bytes_ = 0;
};

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_MEMORY_BUDGET_H_
