// ColumnWriter: turns the cells of one column into values and writes them to their place in the column store, through small
// buffers; and keeps what the profile says about values.
//
// Thread safety: belongs to one thread.
// Ownership: borrows census, decision and the descriptor.
#ifndef CONCLAVE_LIB_GUEST_INGEST_COLUMN_WRITER_H_
#define CONCLAVE_LIB_GUEST_INGEST_COLUMN_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/json.h"
#include "lib/guest/columns/column_format.h"
#include "lib/guest/ingest/column_census.h"
#include "lib/guest/ingest/value_counter.h"

namespace conclave::guest {

// Collects bytes and writes them behind each other from `offset`.
class PlacedOutput {
 public:
  PlacedOutput(int fd, const StoredBuffer& place, size_t buffer)
      : fd_(fd), next_(place.offset), end_(place.offset + place.size), limit_(buffer) {}

  template <typename T>
  absl::Status Put(const T& value) {
    return Append(std::string_view(reinterpret_cast<const char*>(&value), sizeof value));
  }
  absl::Status Append(std::string_view bytes);
  // Writes what is left. Internal when the place was not filled exactly: the input changed between its two readings.
  absl::Status Finish();

 private:
  absl::Status Flush();

  int fd_;
  uint64_t next_;
  uint64_t end_;
  size_t limit_;
  std::string buffer_;
};

class ColumnWriter {
 public:
  // `buffer`: bytes for each of the column's outputs. Of a dictionary column the census holds the sorted texts.
  ColumnWriter(int fd, const ColumnRecord& record, const ColumnDecision& decision, const ColumnCensus& census, uint64_t rows,
               size_t buffer, MemoryBudget* budget);

  absl::Status Add(const Cell& cell);
  // Writes the dictionary and what is left in buffers.
  absl::Status Finish();

  uint64_t distinct() const;
  bool distinct_is_exact() const;
  // v1::Value in its JSON form; null when there is none.
  Json Least() const;
  Json Greatest() const;
  // [{"value": ..., "count": ...}], the most frequent first.
  Json Top() const;

 private:
  absl::Status AddText(const Cell& cell);
  absl::Status AddNull();
  absl::Status MarkPresent(bool present);
  absl::Status PutFixed(int64_t value);
  Json ValueOf(uint64_t bits) const;

  const ColumnRecord record_;
  const ColumnDecision& decision_;
  const ColumnCensus& census_;
  PlacedOutput validity_;
  PlacedOutput values_;
  PlacedOutput offsets_;
  PlacedOutput bytes_;
  uint8_t validity_byte_ = 0;
  uint64_t row_ = 0;
  uint64_t nulls_ = 0;
  uint64_t text_end_ = 0;
  ValueCounter counter_;
  bool any_ = false;
  int64_t least_ = 0;
  int64_t greatest_ = 0;
  double least_real_ = 0;
  double greatest_real_ = 0;
  std::string least_text_;
  std::string greatest_text_;
};

// How a plain decimal is written: the shortest that reads back, always with a point or an exponent.
std::string RealLexeme(double value);

// Texts in a profile are cut here; what is cut ends in "...".
std::string ProfileText(std::string_view text);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_COLUMN_WRITER_H_
