// Which dialect a delimited text has: delimiter, quote, line end, spaces, and what stands before the table. Candidates are
// tried on the first part of the file; the scan over all rows counts what does not fit.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_GUEST_INGEST_DIALECT_DETECTION_H_
#define CONCLAVE_LIB_GUEST_INGEST_DIALECT_DETECTION_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "lib/guest/ingest/record_scanner.h"

namespace conclave::guest {

struct TableStart {
  Dialect dialect;
  size_t offset = 0;         // where the table begins: after a "sep=" line, comments and titles
  size_t skipped_lines = 0;  // comments and titles; not the "sep=" line
  bool skipped_titles = false;
  size_t width = 1;  // cells of most records
};

// The cells of a record without those at the end that hold nothing.
size_t UsedWidth(const std::vector<Cell>& cells);
// True for a line that holds nothing at all.
bool IsBlank(const std::vector<Cell>& cells);

TableStart DetectDialect(std::string_view text);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_DIALECT_DETECTION_H_
