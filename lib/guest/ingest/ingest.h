// Ingest: a user's file becomes a column store and its profile. The file is read at least twice: what every column is is
// decided over all rows before the first value is written.
//
// Thread safety: concurrent calls with different descriptors do not meet.
// Ownership: borrows the descriptors.
#ifndef CONCLAVE_LIB_GUEST_INGEST_INGEST_H_
#define CONCLAVE_LIB_GUEST_INGEST_INGEST_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "lib/base/ingest_reader.h"
#include "lib/base/json.h"

namespace conclave::guest {

struct IngestOptions {
  // What dictionaries and counters of distinct values may use together, in bytes. Beyond it, texts are stored one by one and
  // `distinct` becomes a lower bound.
  size_t counting_bytes = 96u << 20;
  // Called now and then with the pass (1: look, 2: write), the bytes read in it and the rows.
  std::function<void(int pass, uint64_t bytes, uint64_t rows)> progress;
};

inline constexpr size_t kMostColumns = 20'000;

// Reads `input` and writes `output`, which must be empty and open for writing. Returns v1::Profile in plain JSON, without what
// only the host knows (name, source, digest, bytes). A Refusal says why a file cannot be read.
absl::StatusOr<Json> Ingest(int input, int output, const IngestOptions& options);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_INGEST_H_
