#include "lib/guest/columns/column_layout.h"

#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace conclave::guest {
namespace {

constexpr uint64_t kLargestFile = uint64_t{1} << 62;

// Hands out aligned places one after the other. Counts in 128 bits, so that no sum wraps before it is checked.
class Places {
 public:
  StoredBuffer Take(unsigned __int128 size) {
    if (size == 0) return {};
    const unsigned __int128 start = (end_ + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
    end_ = start + size;
    if (end_ > kLargestFile) full_ = true;
    if (full_) return {};
    return {static_cast<uint64_t>(start), static_cast<uint64_t>(size)};
  }
  bool full() const { return full_; }
  uint64_t end() const { return static_cast<uint64_t>(end_); }

 private:
  unsigned __int128 end_ = sizeof(ColumnFileHeader);
  bool full_ = false;
};

template <typename T>
void Put(std::string* bytes, uint64_t offset, const T& value) {
  std::memcpy(bytes->data() + offset, &value, sizeof value);
}

}  // namespace

uint64_t ValueWidth(StoredType type, StoredLayout layout) {
  if (layout == StoredLayout::kPlain) return 0;
  if (layout == StoredLayout::kDictionary) return 4;
  return type == StoredType::kBoolean ? 1 : 8;
}

absl::StatusOr<ColumnFileLayout> LayOutColumns(const std::vector<ColumnPlan>& columns, uint64_t rows) {
  ColumnFileLayout layout;
  std::memcpy(layout.header.magic, kColumnMagic, sizeof kColumnMagic);
  layout.header.columns = static_cast<uint32_t>(columns.size());
  layout.header.rows = rows;
  layout.records.resize(columns.size());

  Places places;
  layout.header.records = places.Take(columns.size() * sizeof(ColumnRecord));
  for (size_t i = 0; i < columns.size(); ++i) layout.records[i].name = places.Take(columns[i].name.size());
  const uint64_t head_size = places.end();
  for (size_t i = 0; i < columns.size(); ++i) {
    const ColumnPlan& plan = columns[i];
    ColumnRecord& record = layout.records[i];
    record.type = plan.type;
    record.layout = plan.layout;
    record.null_count = plan.null_count;
    record.entries = plan.layout == StoredLayout::kDictionary ? plan.entries : 0;
    if (plan.null_count > 0) record.validity = places.Take((rows + 7) / 8);
    record.values = places.Take(static_cast<unsigned __int128>(rows) * ValueWidth(plan.type, plan.layout));
    if (plan.layout == StoredLayout::kFixed) continue;
    const uint64_t texts = plan.layout == StoredLayout::kDictionary ? plan.entries : rows;
    record.offsets = places.Take((static_cast<unsigned __int128>(texts) + 1) * 8);
    record.bytes = places.Take(plan.bytes);
  }
  if (places.full()) {
    return absl::OutOfRangeError(absl::StrCat("a column store of ", rows, " rows and ", columns.size(),
                                              " columns would exceed ", kLargestFile, " bytes"));
  }
  layout.header.file_size = places.end();

  layout.head.assign(head_size, '\0');
  Put(&layout.head, 0, layout.header);
  for (size_t i = 0; i < columns.size(); ++i) {
    Put(&layout.head, layout.header.records.offset + i * sizeof(ColumnRecord), layout.records[i]);
    const StoredBuffer& name = layout.records[i].name;
    std::memcpy(layout.head.data() + name.offset, columns[i].name.data(), name.size);
  }
  return layout;
}

}  // namespace conclave::guest
