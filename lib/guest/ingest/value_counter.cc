#include "lib/guest/ingest/value_counter.h"

#include <algorithm>

namespace conclave::guest {
namespace {

// Beyond this many distinct values their counts are of little interest.
constexpr uint64_t kMostCounted = 65'536;
constexpr uint64_t kCountedRange = 8'192;
constexpr uint64_t kBitRange = uint64_t{1} << 28;

}  // namespace

void ValueCounter::ExpectRange(int64_t low, int64_t high, int64_t unit, uint64_t values) {
  const uint64_t range = (static_cast<uint64_t>(high) - static_cast<uint64_t>(low)) / static_cast<uint64_t>(unit);
  if (high < low || range >= kBitRange) return;
  if (range < kCountedRange && range < values * 4 && share_.Resize((range + 1) * 8)) {
    counts_.assign(range + 1, 0);
  } else if (range / 64 < values && share_.Resize((range / 64 + 1) * 8)) {
    // One bit a value of the range costs less than eight bytes a value that occurs.
    bits_.assign(range / 64 + 1, 0);
    counting_ = false;
  } else {
    return;
  }
  low_ = low;
  unit_ = unit;
  mode_ = Mode::kRange;
}

void ValueCounter::AddRanged(uint64_t value) {
  const uint64_t place = (value - static_cast<uint64_t>(low_)) / static_cast<uint64_t>(unit_);
  if (!bits_.empty()) {
    if (place / 64 >= bits_.size()) return;
    uint64_t& word = bits_[place / 64];
    const uint64_t bit = uint64_t{1} << (place % 64);
    distinct_ += (word & bit) == 0 ? 1 : 0;
    word |= bit;
  } else if (place < counts_.size()) {
    distinct_ += counts_[place]++ == 0 ? 1 : 0;
  }
}

void ValueCounter::AddHashed(uint64_t value) {
  if (value == 0) {
    distinct_ += zeros_++ == 0 ? 1 : 0;
    return;
  }
  if (distinct_ >= values_.size() / 8 * 7) {
    Grow();
    if (mode_ == Mode::kStopped) return;
  }
  const size_t mask = values_.size() - 1;
  size_t slot = MixBits(value) & mask;
  while (values_[slot] != 0 && values_[slot] != value) slot = (slot + 1) & mask;
  if (values_[slot] == 0) {
    values_[slot] = value;
    ++distinct_;
  }
  if (counting_) ++counts_[slot];
}

void ValueCounter::Grow() {
  if (counting_ && distinct_ > kMostCounted) {
    counting_ = false;
    counts_ = {};
  }
  const size_t slots = std::max<size_t>(16, values_.size() * 2);
  const size_t width = counting_ ? 16 : 8;
  // Old and new table live side by side while they are copied.
  if (!share_.Resize((slots + values_.size()) * width)) {
    Stop();
    return;
  }
  std::vector<uint64_t> old_values = std::exchange(values_, std::vector<uint64_t>(slots));
  std::vector<uint64_t> old_counts = std::exchange(counts_, std::vector<uint64_t>(counting_ ? slots : 0));
  for (size_t i = 0; i < old_values.size(); ++i) {
    if (old_values[i] == 0) continue;
    size_t slot = MixBits(old_values[i]) & (slots - 1);
    while (values_[slot] != 0) slot = (slot + 1) & (slots - 1);
    values_[slot] = old_values[i];
    if (counting_) counts_[slot] = old_counts[i];
  }
  share_.Resize(slots * width);
}

void ValueCounter::Stop() {
  mode_ = Mode::kStopped;
  counting_ = false;
  values_ = {};
  counts_ = {};
  bits_ = {};
  share_.Resize(0);
}

std::vector<std::pair<uint64_t, uint64_t>> ValueCounter::Frequent(size_t most) const {
  std::vector<std::pair<uint64_t, uint64_t>> all;
  if (!counting_) return all;
  if (mode_ == Mode::kHash && zeros_ > 0) all.emplace_back(0, zeros_);
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    const uint64_t value = mode_ == Mode::kHash ? values_[i] : static_cast<uint64_t>(low_) + i * static_cast<uint64_t>(unit_);
    all.emplace_back(value, counts_[i]);
  }
  const auto more = [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : static_cast<int64_t>(a.first) < static_cast<int64_t>(b.first);
  };
  const size_t kept = std::min(most, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<ptrdiff_t>(kept), all.end(), more);
  all.resize(kept);
  return all;
}

}  // namespace conclave::guest
