// PlainRecords: a second, deliberately plain reader of delimited text. It shares no code with the ingest reader, so that a
// mistake in one shows as a difference between the two. It is told the dialect and decides nothing.
//
// Thread safety: belongs to one thread.
// Ownership: borrows the descriptor; cells belong to the reader until the next call.
#ifndef CONCLAVE_LIB_GUEST_RECOUNT_PLAIN_RECORDS_H_
#define CONCLAVE_LIB_GUEST_RECOUNT_PLAIN_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace conclave::guest {

struct PlainDialect {
  std::string encoding = "utf-8";  // a name iconv knows; "utf-8" and "utf-8-sig" are read as they are
  char delimiter = ',';
  bool one_column = false;  // no character is a delimiter
  char quote = '"';         // '\0': no quoting
  bool cr_ends = false;     // a lone carriage return ends a record
  int lines_to_skip = 0;    // before the header; lines of white space do not count
};

struct PlainCell {
  std::string text;
  bool quoted = false;
};

// The file's bytes as UTF-8, a block at a time. Bytes that are none in the file's encoding become U+FFFD.
class Utf8Blocks {
 public:
  static absl::StatusOr<std::unique_ptr<Utf8Blocks>> Open(int fd, const std::string& encoding);
  virtual ~Utf8Blocks() = default;
  // The next block; empty at the end.
  virtual absl::StatusOr<std::string_view> Next() = 0;
};

class PlainRecords {
 public:
  static absl::StatusOr<PlainRecords> Open(int fd, const PlainDialect& dialect);

  // Reads one record; false at the end. Lines of nothing but white space are passed over, and so is a first line "sep=;".
  absl::StatusOr<bool> Next();

  // Lines that were passed over before the current record. In a table of one column each is a missing value.
  uint64_t blank_lines() const { return blank_lines_; }
  size_t cells() const { return count_; }
  const PlainCell& cell(size_t index) const { return cells_[index]; }

 private:
  enum class State { kCellStart, kPlain, kQuoted, kQuoteInQuoted };

  PlainRecords(std::unique_ptr<Utf8Blocks> blocks, const PlainDialect& dialect)
      : blocks_(std::move(blocks)), dialect_(dialect) {}
  void SkipSeparatorLine();
  void SkipLines();
  // The next character, or -1 at the end or when reading failed; status_ tells which.
  int Character();
  int Peek();
  bool EndsRecord(int character);
  bool IsDelimiter(int character) const {
    return !dialect_.one_column && character == static_cast<unsigned char>(dialect_.delimiter);
  }
  // True when the record read so far is one unquoted cell of white space.
  bool IsBlankSoFar() const;
  PlainCell& Open();
  // Moves characters to the cell up to, not including, the first that is one of `stops`, within the current block.
  void TakeRun(std::string_view stops, PlainCell* cell);

  std::unique_ptr<Utf8Blocks> blocks_;
  PlainDialect dialect_;
  absl::Status status_;
  std::string_view block_;
  std::vector<PlainCell> cells_;
  size_t count_ = 0;
  uint64_t blank_lines_ = 0;
};

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_RECOUNT_PLAIN_RECORDS_H_
