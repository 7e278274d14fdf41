#include "lib/guest/columns/column_store.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/descriptor.h"
#include "lib/base/text.h"
#include "lib/guest/columns/column_layout.h"

namespace conclave::guest {
namespace {

// More columns than any reader writes; bounds what the list of columns may cost.
constexpr uint32_t kMostColumns = 1'000'000;

absl::Status Damaged(std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("not a usable column store: ", std::string(what)));
}

bool KnownType(StoredType type) { return type >= StoredType::kInteger && type <= StoredType::kTimestampTz; }

bool LayoutFits(StoredType type, StoredLayout layout) {
  if (type == StoredType::kText) return layout == StoredLayout::kDictionary || layout == StoredLayout::kPlain;
  return layout == StoredLayout::kFixed;
}

// The part of the file a buffer names, once it lies inside and has exactly `size` bytes; nullptr otherwise and for size 0.
const char* Part(std::string_view file, const StoredBuffer& buffer, unsigned __int128 size) {
  if (size == 0 || buffer.size != size) return nullptr;
  if (buffer.offset % kBufferAlignment != 0) return nullptr;
  if (buffer.offset > file.size() || buffer.size > file.size() - buffer.offset) return nullptr;
  return file.data() + buffer.offset;
}

absl::Status VerifyFixed(const ColumnView& column, uint64_t row) {
  const bool null = column.IsNull(row);
  if (column.type() == StoredType::kReal) {
    if (std::isnan(column.Real(row)) != null) return Damaged("NaN that is not null, or null that is not NaN");
  } else if (null && column.type() != StoredType::kBoolean && column.Integer(row) != 0) {
    return Damaged("null whose value is not 0");
  } else if (null && column.Boolean(row)) {
    return Damaged("null whose value is not 0");
  }
  return absl::OkStatus();
}

}  // namespace

void ColumnStoreView::Unmap::operator()(const char* address) const { ::munmap(const_cast<char*>(address), size); }

absl::StatusOr<ColumnStoreView> ColumnStoreView::Map(int fd) {
  struct stat status;
  if (::fstat(fd, &status) < 0) return ErrnoStatus(errno, "reading the size of a column store");
  if (!S_ISREG(status.st_mode)) return Damaged("not a regular file");
  const size_t size = static_cast<size_t>(status.st_size);
  if (size < sizeof(ColumnFileHeader)) return Damaged(absl::StrCat("only ", size, " bytes"));
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (address == MAP_FAILED) return ErrnoStatus(errno, absl::StrCat("mapping a column store of ", size, " bytes"));
  ColumnStoreView view;
  view.mapping_ = std::unique_ptr<const char, Unmap>(static_cast<const char*>(address), Unmap(size));
  if (absl::Status read = view.Read({view.mapping_.get(), size}); !read.ok()) return read;
  return view;
}

absl::StatusOr<ColumnStoreView> ColumnStoreView::Over(std::string_view bytes) {
  ColumnStoreView view;
  if (bytes.size() < sizeof(ColumnFileHeader)) return Damaged(absl::StrCat("only ", bytes.size(), " bytes"));
  if (absl::Status read = view.Read(bytes); !read.ok()) return read;
  return view;
}

absl::Status ColumnStoreView::Read(std::string_view file) {
  ColumnFileHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  if (std::memcmp(header.magic, kColumnMagic, sizeof kColumnMagic) != 0) return Damaged("wrong magic");
  if (header.version != 1) return Damaged(absl::StrCat("version ", header.version));
  if (header.file_size != file.size()) {
    return Damaged(absl::StrCat("it says ", header.file_size, " bytes and has ", file.size()));
  }
  if (header.columns > kMostColumns) return Damaged(absl::StrCat(header.columns, " columns"));
  if (header.columns == 0 && header.rows > 0) return Damaged("rows without columns");
  // Bounds every product of rows and a width below.
  if (header.rows > uint64_t{1} << 56) return Damaged(absl::StrCat(header.rows, " rows"));
  const char* records = Part(file, header.records, uint64_t{header.columns} * sizeof(ColumnRecord));
  if (records == nullptr && header.columns > 0) return Damaged("records out of place");

  rows_ = header.rows;
  columns_.resize(header.columns);
  for (uint32_t i = 0; i < header.columns; ++i) {
    ColumnRecord record;
    std::memcpy(&record, records + size_t{i} * sizeof record, sizeof record);
    ColumnView& column = columns_[i];
    const auto damaged = [i](std::string_view what) {
      return Damaged(absl::StrCat("column ", i + 1, ": ", std::string(what)));
    };
    if (!KnownType(record.type)) return damaged("unknown type");
    if (!LayoutFits(record.type, record.layout)) return damaged("layout does not fit the type");
    if (record.null_count > rows_) return damaged("more nulls than rows");
    column.rows_ = rows_;
    column.type_ = record.type;
    column.layout_ = record.layout;
    column.null_count_ = record.null_count;
    const char* name = Part(file, record.name, record.name.size);
    if (name == nullptr && record.name.size > 0) return damaged("name out of place");
    column.name_ = {name, name == nullptr ? 0 : record.name.size};
    if (record.null_count > 0) {
      column.validity_ = Part(file, record.validity, (rows_ + 7) / 8);
      if (column.validity_ == nullptr) return damaged("validity out of place");
    }
    const uint64_t width = ValueWidth(record.type, record.layout);
    column.values_ = Part(file, record.values, static_cast<unsigned __int128>(rows_) * width);
    if (column.values_ == nullptr && rows_ * width > 0) return damaged("values out of place");
    if (record.layout == StoredLayout::kFixed) {
      column.width_ = width;
      continue;
    }
    column.texts_ = record.layout == StoredLayout::kDictionary ? record.entries : rows_;
    if (column.texts_ > uint64_t{1} << 56) return damaged("too many entries");
    column.offsets_ = Part(file, record.offsets, (static_cast<unsigned __int128>(column.texts_) + 1) * 8);
    if (column.offsets_ == nullptr) return damaged("offsets out of place");
    column.bytes_ = Part(file, record.bytes, record.bytes.size);
    if (column.bytes_ == nullptr && record.bytes.size > 0) return damaged("bytes out of place");
    column.bytes_size_ = record.bytes.size;
  }
  return absl::OkStatus();
}

const ColumnView* ColumnStoreView::Find(std::string_view name) const {
  for (const ColumnView& column : columns_) {
    if (column.name_ == name) return &column;
  }
  return nullptr;
}

absl::Status ColumnStoreView::Verify() const {
  for (const ColumnView& column : columns_) {
    const auto damaged = [&column](std::string_view what, uint64_t row) {
      return Damaged(absl::StrCat("column \"", Excerpt(column.name(), 60), "\", ", std::string(what), " ", row));
    };
    if (column.layout() != StoredLayout::kFixed) {
      if (ColumnView::Load<uint64_t>(column.offsets_, 0) != 0) return damaged("first offset is not 0 but", 0);
      for (uint64_t text = 0; text < column.texts_; ++text) {
        const uint64_t begin = ColumnView::Load<uint64_t>(column.offsets_, text);
        const uint64_t end = ColumnView::Load<uint64_t>(column.offsets_, text + 1);
        if (begin > end || end > column.bytes_size_) return damaged("text out of place at", text);
        if (!IsValidUtf8(column.TextAt(text))) return damaged("text is not UTF-8 at", text);
        if (text > 0 && column.layout() == StoredLayout::kDictionary && column.TextAt(text - 1) >= column.TextAt(text)) {
          return damaged("dictionary is not sorted and distinct at entry", text);
        }
      }
    }
    std::vector<bool> used(column.entries());
    uint64_t nulls = 0;
    for (uint64_t row = 0; row < rows_; ++row) {
      const bool null = column.IsNull(row);
      if (null) ++nulls;
      if (column.layout() == StoredLayout::kFixed) {
        if (absl::Status fixed = VerifyFixed(column, row); !fixed.ok()) return damaged(std::string(fixed.message()), row);
      } else if (column.layout() == StoredLayout::kPlain) {
        if (null && !column.TextAt(row).empty()) return damaged("null with a text at row", row);
      } else {
        const int32_t code = ColumnView::Load<int32_t>(column.values_, row);
        if (null != (code == -1) || code < -1 || (code >= 0 && column.Code(row) < 0)) return damaged("wrong code at row", row);
        if (code >= 0) used[static_cast<size_t>(code)] = true;
      }
    }
    if (nulls != column.null_count()) return damaged("wrong null count: counted", nulls);
    for (uint64_t entry = 0; entry < used.size(); ++entry) {
      if (!used[entry]) return damaged("unused dictionary entry", entry);
    }
  }
  return absl::OkStatus();
}

}  // namespace conclave::guest
