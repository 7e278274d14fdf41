#include "lib/guest/ingest/text_dictionary.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace conclave::guest {
namespace {

constexpr size_t kLongestKept = 16u << 10;
constexpr size_t kMostKept = 4'000'000;
// From here on it is asked whether keeping texts is worth it.
constexpr size_t kManyKept = 65'536;

}  // namespace

uint64_t TextDictionary::HashOf(std::string_view text) {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ text.size();
  const char* at = text.data();
  size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    hash = (hash ^ MixBits(word)) * 0x9fb21c651e98df25u;
    hash ^= hash >> 29;
  }
  if (left > 0) {
    uint64_t word = 0;
    std::memcpy(&word, at, left);
    hash = (hash ^ MixBits(word)) * 0x9fb21c651e98df25u;
  }
  return MixBits(hash);
}

size_t TextDictionary::SlotOf(std::string_view text, uint64_t hash) const {
  const size_t mask = table_.size() - 1;
  size_t slot = hash & mask;
  while (table_[slot] != 0) {
    const Entry_& entry = entries_[table_[slot] - 1];
    if (entry.hash == hash && TextOf(entry) == text) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

void TextDictionary::Rehash(size_t slots) {
  table_.assign(slots, 0);
  for (size_t i = 0; i < entries_.size(); ++i) {
    size_t slot = entries_[i].hash & (slots - 1);
    while (table_[slot] != 0) slot = (slot + 1) & (slots - 1);
    table_[slot] = static_cast<uint32_t>(i + 1);
  }
}

// Makes room for one more text; false when memory or sense forbid it.
bool TextDictionary::Reserve(size_t text_size) {
  if (text_size > kLongestKept || entries_.size() >= kMostKept) return false;
  if (entries_.size() == entries_.capacity() || pool_.size() + text_size > pool_.capacity()) {
    if (entries_.size() >= kManyKept && entries_.size() * 2 > added_) return false;
    const size_t entries =
        entries_.size() == entries_.capacity() ? std::max<size_t>(8, entries_.size() * 2) : entries_.capacity();
    const size_t pool = pool_.size() + text_size > pool_.capacity() ? std::max<size_t>(64, (pool_.size() + text_size) * 3 / 2)
                                                                    : pool_.capacity();
    size_t slots = std::max<size_t>(16, table_.size());
    while (slots < entries * 4 / 3) slots *= 2;
    const size_t kept = entries * sizeof(Entry_) + pool + slots * sizeof(uint32_t);
    // While a vector grows, its old block is still there.
    if (!share_.Resize(kept + entries_.capacity() * sizeof(Entry_) + pool_.capacity())) return false;
    entries_.reserve(entries);
    pool_.reserve(pool);
    if (slots != table_.size()) Rehash(slots);
    share_.Resize(kept);
  }
  return true;
}

void TextDictionary::Add(std::string_view text) {
  ++added_;
  added_bytes_ += text.size();
  const uint64_t hash = HashOf(text);
  if (keeping_) {
    if (!table_.empty()) {
      const size_t slot = SlotOf(text, hash);
      if (table_[slot] != 0) {
        ++entries_[table_[slot] - 1].count;
        return;
      }
    }
    if (Reserve(text.size())) {
      table_[SlotOf(text, hash)] = static_cast<uint32_t>(entries_.size() + 1);
      entries_.push_back({pool_.size(), hash, 1, static_cast<uint32_t>(text.size())});
      pool_.insert(pool_.end(), text.begin(), text.end());
      return;
    }
    Forget();
  }
  hashes_only_.Add(hash);
}

void TextDictionary::Forget() {
  if (!keeping_) {
    hashes_only_.Stop();
    return;
  }
  keeping_ = false;
  std::vector<char>().swap(pool_);
  std::vector<uint32_t>().swap(table_);
  share_.Resize(entries_.capacity() * sizeof(Entry_));
  for (const Entry_& entry : entries_) hashes_only_.Add(entry.hash);
  std::vector<Entry_>().swap(entries_);
  share_.Resize(0);
}

void TextDictionary::Drop() {
  Forget();
  hashes_only_.Stop();
}

void TextDictionary::Sort() {
  std::sort(entries_.begin(), entries_.end(), [this](const Entry_& a, const Entry_& b) { return TextOf(a) < TextOf(b); });
  if (!table_.empty()) Rehash(table_.size());
}

int32_t TextDictionary::Find(std::string_view text) const {
  if (table_.empty()) return -1;
  const uint32_t entry = table_[SlotOf(text, HashOf(text))];
  return static_cast<int32_t>(entry) - 1;
}

}  // namespace conclave::guest
