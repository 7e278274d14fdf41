// The column store: one file holding one table, column by column, ready to be mapped. Written by the ingest guest and read by
// the sql guest (C++) and the python runner (struct module), so every field has a fixed place. Little-endian.
//
// One file rather than one per column, because an unprivileged guest receives it as a single open descriptor. Buffers start at
// multiples of kBufferAlignment and follow Arrow's layout: values, validity bitmap (bit i of byte i/8, least significant bit
// first, 1 = present), and for text either a dictionary with int32 codes or offsets and bytes.
//
// Readers treat the file as hostile: it was written by a process that read a user's file. See column_store.h.
#ifndef CONCLAVE_LIB_GUEST_COLUMNS_COLUMN_FORMAT_H_
#define CONCLAVE_LIB_GUEST_COLUMNS_COLUMN_FORMAT_H_

#include <cstdint>

namespace conclave::guest {

inline constexpr char kColumnMagic[8] = {'C', 'N', 'C', 'L', 'C', 'O', 'L', '1'};
inline constexpr uint64_t kBufferAlignment = 64;

// Numbers equal v1::ColumnType.
enum class StoredType : uint32_t {
  kInteger = 1,      // int64
  kReal = 2,         // double; NaN where null, never elsewhere
  kBoolean = 3,      // uint8, 0 or 1
  kText = 4,         // see StoredLayout
  kDate = 5,         // int64 microseconds since 1970-01-01 (midnight)
  kTimestamp = 6,    // int64 microseconds since 1970-01-01, wall clock
  kTimestampTz = 7,  // int64 microseconds since 1970-01-01 UTC
};

enum class StoredLayout : uint32_t {
  kFixed = 0,       // `values`: one fixed-width value a row; 0 where null (NaN for reals)
  kDictionary = 1,  // `values`: int32 codes, -1 where null; `offsets`: int64[entries + 1] into `bytes`; entries are distinct,
                    // sorted by their bytes, and each occurs at least once
  kPlain = 2,       // `values` empty; `offsets`: int64[rows + 1] into `bytes`; null rows have length 0
};

struct StoredBuffer {
  uint64_t offset = 0;  // from the start of the file; 0 with size 0: absent
  uint64_t size = 0;    // bytes, without padding
};

struct ColumnRecord {
  StoredType type = StoredType::kText;
  StoredLayout layout = StoredLayout::kFixed;
  StoredBuffer name;  // UTF-8
  uint64_t null_count = 0;
  uint64_t entries = 0;   // dictionary entries
  StoredBuffer validity;  // absent when null_count is 0
  StoredBuffer values;
  StoredBuffer offsets;
  StoredBuffer bytes;
  uint64_t reserved[3] = {0, 0, 0};
};
static_assert(sizeof(ColumnRecord) == 128);

struct ColumnFileHeader {
  char magic[8];
  uint32_t version = 1;
  uint32_t columns = 0;
  uint64_t rows = 0;
  StoredBuffer records;  // ColumnRecord[columns]
  uint64_t file_size = 0;
  uint64_t reserved = 0;
};
static_assert(sizeof(ColumnFileHeader) == 56);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_COLUMNS_COLUMN_FORMAT_H_
