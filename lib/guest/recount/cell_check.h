// CellCheck: does a cell of the file say what the column store holds? The check goes from the stored value back to the text, so
// it shares no conversion with the reader that went the other way.
//
// Thread safety: a check belongs to one thread.
#ifndef CONCLAVE_LIB_GUEST_RECOUNT_CELL_CHECK_H_
#define CONCLAVE_LIB_GUEST_RECOUNT_CELL_CHECK_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/guest/columns/column_store.h"

namespace conclave::guest {

// What one column came to. A column follows one convention throughout (decimal mark, order of day and month), so differences
// are counted under each and the convention with the fewest stands.
class ColumnCheck {
 public:
  explicit ColumnCheck(const ColumnView& column) : column_(column) {}

  // `text` is the file's cell, empty for one that is not there.
  void Add(uint64_t row, std::string_view text, bool quoted);

  uint64_t differences() const;
  // Cells that hold something in the file and nothing in the store.
  uint64_t lost() const { return lost_; }
  // The first difference, for people: "row 3: the file says "x", the store says "y"". Empty when there is none.
  std::string example() const;

 private:
  static constexpr size_t kConventions = 3;

  bool Agrees(uint64_t row, std::string_view text, size_t convention) const;
  std::string Stored(uint64_t row) const;

  const ColumnView& column_;
  std::array<uint64_t, kConventions> differences_{};
  std::array<std::string, kConventions> examples_;
  uint64_t lost_ = 0;
  std::string lost_example_;
};

// True when `text` reads as `value` with '.' (convention 0) or ',' (convention 1) as the decimal mark. Exposed for tests.
bool ReadsAsReal(std::string_view text, double value, size_t convention);
bool ReadsAsInteger(std::string_view text, int64_t value);
// Convention 0: year first, 1: day first, 2: month first. `microseconds` since 1970-01-01; `instant`: in UTC.
bool ReadsAsTime(std::string_view text, int64_t microseconds, bool instant, size_t convention);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_RECOUNT_CELL_CHECK_H_
