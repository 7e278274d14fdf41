#include "lib/guest/ingest/record_scanner.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace conclave::guest {
namespace {

constexpr size_t kBlock = 64;
constexpr uint64_t kWasteAllowed = 64u << 20;

uint64_t MaskOf(const char* block, char first, char second) {
  uint64_t mask = 0;
#if defined(__SSE2__)
  const __m128i a = _mm_set1_epi8(first);
  const __m128i b = _mm_set1_epi8(second);
  for (int part = 0; part < 4; ++part) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * part));
    const __m128i hits = _mm_or_si128(_mm_cmpeq_epi8(bytes, a), _mm_cmpeq_epi8(bytes, b));
    mask |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(hits))) << (16 * part);
  }
#else
  for (size_t i = 0; i < kBlock; ++i) mask |= uint64_t{block[i] == first || block[i] == second} << i;
#endif
  return mask;
}

}  // namespace

RecordScanner::RecordScanner(std::string_view bytes, const Dialect& dialect)
    : begin_(bytes.data()), end_(bytes.data() + bytes.size()), at_(begin_), dialect_(dialect) {}

void RecordScanner::LoadBlock(const char* from) {
  block_ = from;
  const size_t left = static_cast<size_t>(end_ - from);
  if (left >= kBlock) {
    mask_ = MaskOf(from, dialect_.delimiter, dialect_.newline);
    return;
  }
  char padded[kBlock] = {};
  std::memcpy(padded, from, left);
  mask_ = MaskOf(padded, dialect_.delimiter, dialect_.newline) & ((uint64_t{1} << left) - 1);
}

// The first delimiter or line end at or after `from`, or the end.
inline const char* RecordScanner::FindEnd(const char* from) {
  while (from < end_) {
    if (block_ == nullptr || from < block_ || from >= block_ + kBlock) LoadBlock(from);
    const uint64_t rest = mask_ >> (from - block_);
    if (rest != 0) return from + std::countr_zero(rest);
    from = block_ + kBlock;
  }
  return end_;
}

// True when a cell may end at `at`.
bool RecordScanner::IsEnd(const char* at) const {
  if (at == end_ || *at == dialect_.delimiter || *at == dialect_.newline) return true;
  return *at == '\r' && (at + 1 == end_ || at[1] == '\n');
}

// Reads a quoted cell that opens at `open`; returns where it ends, or nullptr when the quote has to be text.
const char* RecordScanner::ReadQuoted(const char* open, std::vector<Cell>* cells) {
  const char quote = dialect_.quote;
  const char* const content = open + 1;
  const char* from = content;
  const char* checked = content;
  bool escaped = false;
  bool stray = false;
  while (true) {
    const char* close = static_cast<const char*>(std::memchr(from, quote, static_cast<size_t>(end_ - from)));
    const char* after = close == nullptr ? nullptr : close + 1;
    if (close != nullptr && after < end_ && *after == quote) {
      escaped = true;
      from = after + 1;
      continue;
    }
    while (after != nullptr && after < end_ && *after == ' ') ++after;
    if (close != nullptr && IsEnd(after)) {
      faults_.stray_quote |= stray;
      if (!escaped) {
        cells->push_back({{content, static_cast<size_t>(close - content)}, true});
        return after;
      }
      const size_t offset = scratch_.size();
      for (const char* c = content; c < close; ++c) {
        scratch_.push_back(*c);
        if (*c == quote && c + 1 < close && c[1] == quote) ++c;
      }
      unescaped_.push_back({cells->size(), offset, scratch_.size() - offset});
      cells->push_back({{}, true});
      return after;
    }
    // A quote inside a cell is text as long as the cell has stayed on its line. A cell that ran over line ends before it met
    // such a quote has most likely swallowed records: then it is the opening quote that is text.
    const char* const reached = close == nullptr ? end_ : close;
    if (close == nullptr || std::memchr(checked, dialect_.newline, static_cast<size_t>(close - checked)) != nullptr) {
      faults_.unclosed_quote = true;
      wasted_ += static_cast<uint64_t>(reached - open);
      if (wasted_ > kWasteAllowed + 4 * static_cast<uint64_t>(end_ - begin_)) dialect_.quote = '\0';
      return nullptr;
    }
    stray = true;
    checked = close;
    from = close + 1;
  }
}

bool RecordScanner::Next(std::vector<Cell>* cells) {
  cells->clear();
  faults_ = {};
  if (at_ == end_) return false;
  scratch_.clear();
  unescaped_.clear();
  const char* at = at_;
  while (true) {
    if (dialect_.skip_space && !cells->empty()) {
      while (at < end_ && *at == ' ') ++at;
    }
    const char* stop = nullptr;
    if (at < end_ && *at == dialect_.quote && dialect_.quote != '\0') stop = ReadQuoted(at, cells);
    const bool quoted = stop != nullptr;
    if (!quoted) stop = FindEnd(at);
    while (cells->size() >= kMostCells && stop < end_ && *stop != dialect_.newline) stop = FindEnd(stop + 1);
    if (quoted && stop < end_ && *stop == '\r' && dialect_.newline == '\n') ++stop;
    const bool last = stop == end_ || *stop == dialect_.newline;
    if (!quoted) {
      const char* text_end = stop;
      if (last && text_end > at && text_end[-1] == '\r' && dialect_.newline == '\n') --text_end;
      cells->push_back({{at, static_cast<size_t>(text_end - at)}, false});
    }
    at = stop == end_ ? end_ : stop + 1;
    if (!last) continue;
    if (stop < end_) {
      if (dialect_.newline == '\r') {
        ++cr_;
      } else if (stop > begin_ && stop[-1] == '\r') {
        ++crlf_;
      } else {
        ++lf_;
      }
    }
    break;
  }
  at_ = at;
  for (const Unescaped& part : unescaped_) (*cells)[part.cell].text = {scratch_.data() + part.offset, part.size};
  return true;
}

}  // namespace conclave::guest
