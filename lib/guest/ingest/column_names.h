// Names for columns: from the header's cells, made usable without changing what a person would call them.
//
// Thread safety: pure function.
#ifndef CONCLAVE_LIB_GUEST_INGEST_COLUMN_NAMES_H_
#define CONCLAVE_LIB_GUEST_INGEST_COLUMN_NAMES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "lib/guest/ingest/column_census.h"
#include "lib/guest/ingest/record_scanner.h"

namespace conclave::guest {

struct ColumnName {
  std::string name;   // unique, also without regard to case; white space in it is single spaces
  std::string label;  // the cell as found
  std::vector<IngestQuirk> quirks;
};

// Names for `columns` columns; without a header all are "column_1", "column_2", ...
std::vector<ColumnName> NameColumns(const std::vector<Cell>& header, size_t columns);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_COLUMN_NAMES_H_
