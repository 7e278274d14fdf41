// Capture: the head and the tail of a stream of any length, in bounded memory; what lies between is counted.
//
// Thread safety: belongs to one thread.
// Ownership: value type.
#ifndef CONCLAVE_LIB_SANDBOX_CAPTURE_H_
#define CONCLAVE_LIB_SANDBOX_CAPTURE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "conclave/v1/execution.pb.h"

namespace conclave {

class Capture {
 public:
  // Keeps `bytes` in all: the first half and the last half.
  explicit Capture(int64_t bytes);

  void Add(std::string_view bytes);

  // Bytes added so far, kept or not.
  int64_t total() const { return total_; }

  v1::CapturedStream Stream() const;

 private:
  size_t head_size_;
  size_t tail_size_;
  std::string head_;
  std::string tail_;       // a ring once it is full
  size_t tail_start_ = 0;  // the oldest byte of the ring
  int64_t total_ = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_SANDBOX_CAPTURE_H_
