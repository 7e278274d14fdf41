// Arbitrary bytes as a column store: whatever is mapped is read to its end without leaving it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/guest/columns/column_store.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using conclave::guest::ColumnStoreView;
  using conclave::guest::ColumnView;
  const absl::StatusOr<ColumnStoreView> store = ColumnStoreView::Over({reinterpret_cast<const char*>(data), size});
  if (!store.ok()) return 0;
  uint64_t seen = 0;
  for (size_t i = 0; i < store->columns(); ++i) {
    const ColumnView& column = store->column(i);
    seen += column.name().size();
    for (uint64_t row = 0; row <= std::min<uint64_t>(store->rows(), 10'000); ++row) {
      const std::string_view text = column.Text(row);
      for (const char c : text.substr(0, 100)) seen += static_cast<unsigned char>(c);
      seen += static_cast<uint64_t>(column.Integer(row)) + (column.IsNull(row) ? 1 : 0) + (column.Boolean(row) ? 1 : 0);
      seen += column.Real(row) > 0 ? 1 : 0;
    }
  }
  store->Verify().IgnoreError();
  volatile uint64_t keep = seen;
  (void)keep;
  return 0;
}
