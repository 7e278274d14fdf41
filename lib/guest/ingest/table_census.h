// TableCensus: the first reading of all rows. Decides header, width and what every column is, and collects the texts of text
// columns.
//
// Thread safety: belongs to one thread.
// Ownership: owns the censuses; borrows the budget.
#ifndef CONCLAVE_LIB_GUEST_INGEST_TABLE_CENSUS_H_
#define CONCLAVE_LIB_GUEST_INGEST_TABLE_CENSUS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/guest/ingest/column_census.h"
#include "lib/guest/ingest/content.h"
#include "lib/guest/ingest/dialect_detection.h"
#include "lib/guest/ingest/memory_budget.h"
#include "lib/guest/ingest/table_reader.h"

namespace conclave::guest {

using ReadingProgress = std::function<void(uint64_t bytes, uint64_t rows)>;

struct TableCensus {
  TableStart start;
  bool has_header = false;
  std::vector<Cell> header;  // borrows from `reader_of_header`
  std::unique_ptr<TableReader> reader_of_header;
  size_t width = 0;  // columns, without unnamed empty ones at the end
  uint64_t rows = 0;
  std::vector<std::unique_ptr<ColumnCensus>> columns;
  std::vector<ColumnDecision> decisions;
  std::vector<IngestQuirk> quirks;  // of the file
  std::string newline;              // "lf", "crlf", "cr", "mixed"
};

absl::StatusOr<TableCensus> TakeCensus(const Content& content, MemoryBudget* budget, const ReadingProgress& progress);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_TABLE_CENSUS_H_
