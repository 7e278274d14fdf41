// ColumnStoreView: reads a column store through a read-only mapping. The bytes are hostile (they were written by a process that
// read a user's file), so Map() checks every size and place, and accessors check what Map() cannot check cheaply: whatever the
// file says, they stay inside it. A text whose place makes no sense reads as empty.
//
// Thread safety: const functions may run concurrently.
// Ownership: owns the mapping; columns and the texts they return borrow from the view, also after it was moved. The descriptor
// is not kept. The file must not shrink while it is mapped: whoever opened it holds it sealed or private.
//
//   absl::StatusOr<ColumnStoreView> store = ColumnStoreView::Map(6);
//   const ColumnView* price = store->Find("price");
//   for (uint64_t row = 0; row < store->rows(); ++row) if (!price->IsNull(row)) sum += price->Real(row);
#ifndef CONCLAVE_LIB_GUEST_COLUMNS_COLUMN_STORE_H_
#define CONCLAVE_LIB_GUEST_COLUMNS_COLUMN_STORE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/guest/columns/column_format.h"

namespace conclave::guest {

class ColumnView {
 public:
  std::string_view name() const { return name_; }
  StoredType type() const { return type_; }
  StoredLayout layout() const { return layout_; }
  uint64_t rows() const { return rows_; }
  uint64_t null_count() const { return null_count_; }

  // Rows count from 0; a row beyond the last one is null.
  bool IsNull(uint64_t row) const {
    if (row >= rows_) return true;
    return validity_ != nullptr && (static_cast<uint8_t>(validity_[row / 8]) >> (row % 8) & 1) == 0;
  }

  // The value of kInteger, kDate and both timestamps; 0 where null or of another type.
  int64_t Integer(uint64_t row) const { return width_ == 8 && row < rows_ ? Load<int64_t>(values_, row) : 0; }
  // The value of kReal.
  double Real(uint64_t row) const { return width_ == 8 && row < rows_ ? Load<double>(values_, row) : 0; }
  // The value of kBoolean.
  bool Boolean(uint64_t row) const { return width_ == 1 && row < rows_ && values_[row] != 0; }

  // The text of a kText column in either layout; empty where null.
  std::string_view Text(uint64_t row) const {
    if (row >= rows_) return {};
    if (layout_ == StoredLayout::kPlain) return TextAt(row);
    const int32_t code = Code(row);
    return code < 0 ? std::string_view() : TextAt(static_cast<uint64_t>(code));
  }

  // Dictionary columns: their entries, distinct and sorted by bytes, and the entry of a row, -1 where null or out of range.
  uint64_t entries() const { return layout_ == StoredLayout::kDictionary ? texts_ : 0; }
  std::string_view Entry(uint64_t entry) const { return entry < entries() ? TextAt(entry) : std::string_view(); }
  int32_t Code(uint64_t row) const {
    if (layout_ != StoredLayout::kDictionary || row >= rows_) return -1;
    const int32_t code = Load<int32_t>(values_, row);
    return code >= 0 && static_cast<uint64_t>(code) < texts_ ? code : -1;
  }

 private:
  friend class ColumnStoreView;

  template <typename T>
  static T Load(const char* base, uint64_t index) {
    T value;
    std::memcpy(&value, base + index * sizeof(T), sizeof value);
    return value;
  }

  // `text` < texts_.
  std::string_view TextAt(uint64_t text) const {
    const uint64_t begin = Load<uint64_t>(offsets_, text);
    const uint64_t end = Load<uint64_t>(offsets_, text + 1);
    if (begin > end || end > bytes_size_) return {};
    return {bytes_ + begin, end - begin};
  }

  std::string_view name_;
  StoredType type_ = StoredType::kText;
  StoredLayout layout_ = StoredLayout::kFixed;
  uint64_t rows_ = 0;
  uint64_t null_count_ = 0;
  uint64_t width_ = 0;              // bytes of a fixed value; 0 for text
  const char* validity_ = nullptr;  // absent: no nulls
  const char* values_ = nullptr;
  uint64_t texts_ = 0;  // entries or, in a plain column, rows
  const char* offsets_ = nullptr;
  const char* bytes_ = nullptr;
  uint64_t bytes_size_ = 0;
};

class ColumnStoreView {
 public:
  // Maps the file behind `fd`, which is only borrowed. InvalidArgument naming the field that makes no sense.
  static absl::StatusOr<ColumnStoreView> Map(int fd);
  // The same over bytes in memory, which must stay alive.
  static absl::StatusOr<ColumnStoreView> Over(std::string_view bytes);

  uint64_t rows() const { return rows_; }
  size_t columns() const { return columns_.size(); }
  // `index` < columns().
  const ColumnView& column(size_t index) const { return columns_[index]; }
  // The column of exactly this name, or nullptr.
  const ColumnView* Find(std::string_view name) const;

  // Reads everything: values that must not occur, places of texts, dictionary order, null counts, UTF-8. InvalidArgument naming
  // column and row. A store written by Conclave passes; readers do not need it to be safe.
  absl::Status Verify() const;

 private:
  struct Unmap {
    Unmap() : size(0) {}
    explicit Unmap(size_t mapped) : size(mapped) {}
    size_t size;
    void operator()(const char* address) const;
  };

  absl::Status Read(std::string_view file);

  std::unique_ptr<const char, Unmap> mapping_;
  uint64_t rows_ = 0;
  std::vector<ColumnView> columns_;
};

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_COLUMNS_COLUMN_STORE_H_
