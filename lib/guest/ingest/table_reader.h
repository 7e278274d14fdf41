// TableReader: the data rows of a table, as every pass over the file sees them: without preamble, header and blank lines, and
// with cells that are valid text.
//
// Thread safety: belongs to one thread.
// Ownership: borrows the content; cells are valid until the next call.
#ifndef CONCLAVE_LIB_GUEST_INGEST_TABLE_READER_H_
#define CONCLAVE_LIB_GUEST_INGEST_TABLE_READER_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "lib/guest/ingest/content.h"
#include "lib/guest/ingest/dialect_detection.h"
#include "lib/guest/ingest/record_scanner.h"

namespace conclave::guest {

class TableReader {
 public:
  TableReader(const Content& content, const TableStart& start, bool has_header);

  // The header's cells; empty without one.
  const std::vector<Cell>& header() const { return header_; }

  // Reads the next row into `cells`, as many as its record has; false at the end.
  bool Next(std::vector<Cell>* cells);

  // 1-based number of the current row; after the end, the number of rows.
  int64_t row() const { return row_; }
  const RecordFaults& faults() const { return scanner_.faults(); }
  // Cells of the current row in which bytes were replaced.
  int invalid_utf8() const { return invalid_utf8_; }
  int nul_bytes() const { return nul_bytes_; }
  uint64_t blank_lines() const { return blank_lines_; }
  size_t position() const { return scanner_.position(); }
  const RecordScanner& scanner() const { return scanner_; }

 private:
  bool NextRecord(std::vector<Cell>* cells);
  void Repair(std::vector<Cell>* cells);

  const Content& content_;
  bool keeps_blanks_;
  RecordScanner scanner_;
  std::vector<Cell> header_;
  std::deque<std::string> header_texts_;
  std::deque<std::string> repaired_;
  int64_t row_ = 0;
  int invalid_utf8_ = 0;
  int nul_bytes_ = 0;
  uint64_t blank_lines_ = 0;
  // One-column tables: blank lines are rows when more rows follow, so they are held back until then.
  uint64_t held_blanks_ = 0;
  bool held_record_ = false;
  std::vector<Cell> held_;
};

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_TABLE_READER_H_
