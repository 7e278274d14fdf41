#include "lib/sandbox/capture.h"

#include <algorithm>

namespace conclave {

Capture::Capture(int64_t bytes)
    : head_size_(static_cast<size_t>(bytes - bytes / 2)), tail_size_(static_cast<size_t>(bytes / 2)) {}

void Capture::Add(std::string_view bytes) {
  total_ += static_cast<int64_t>(bytes.size());
  const size_t to_head = std::min(bytes.size(), head_size_ - head_.size());
  head_.append(bytes.substr(0, to_head));
  bytes.remove_prefix(to_head);
  if (bytes.size() > tail_size_) bytes.remove_prefix(bytes.size() - tail_size_);
  const size_t to_fill = std::min(bytes.size(), tail_size_ - tail_.size());
  tail_.append(bytes.substr(0, to_fill));
  bytes.remove_prefix(to_fill);
  while (!bytes.empty()) {
    const size_t piece = std::min(bytes.size(), tail_size_ - tail_start_);
    tail_.replace(tail_start_, piece, bytes.substr(0, piece));
    tail_start_ = (tail_start_ + piece) % tail_size_;
    bytes.remove_prefix(piece);
  }
}

v1::CapturedStream Capture::Stream() const {
  v1::CapturedStream stream;
  stream.set_head(head_);
  stream.set_tail(tail_.substr(tail_start_) + tail_.substr(0, tail_start_));
  stream.set_dropped(total_ - static_cast<int64_t>(head_.size() + tail_.size()));
  return stream;
}

}  // namespace conclave
