// ColumnFileLayout: where every buffer of a column store goes, computed from sizes alone, so that a writer can stream each
// column to its place.
//
// Thread safety: pure function, value types.
#ifndef CONCLAVE_LIB_GUEST_COLUMNS_COLUMN_LAYOUT_H_
#define CONCLAVE_LIB_GUEST_COLUMNS_COLUMN_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/guest/columns/column_format.h"

namespace conclave::guest {

// What must be known of a column before its place is.
struct ColumnPlan {
  std::string name;
  StoredType type = StoredType::kText;
  StoredLayout layout = StoredLayout::kFixed;
  uint64_t null_count = 0;
  uint64_t entries = 0;  // dictionary entries; only with kDictionary
  uint64_t bytes = 0;    // text bytes: of all entries with kDictionary, of all rows with kPlain
};

struct ColumnFileLayout {
  ColumnFileHeader header;
  std::vector<ColumnRecord> records;
  // Header, records and names: everything of the file that is not a column's buffer; goes to offset 0.
  std::string head;
};

// Bytes of one value in a column's `values` buffer; 0 for plain text, which has none.
uint64_t ValueWidth(StoredType type, StoredLayout layout);

// Places the buffers of `columns`, each at a multiple of kBufferAlignment. OutOfRange when the file would exceed 2^62 bytes.
absl::StatusOr<ColumnFileLayout> LayOutColumns(const std::vector<ColumnPlan>& columns, uint64_t rows);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_COLUMNS_COLUMN_LAYOUT_H_
