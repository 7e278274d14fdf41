// Units: durations, sizes, counts and levels as people write and read them.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_TOOLS_CONCLAVE_UNITS_H_
#define CONCLAVE_TOOLS_CONCLAVE_UNITS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "conclave/sandbox.h"

namespace conclave::cli {

// Milliseconds from "500ms", "30s", "1.5s", "2m", "1h". A unit is required, the value must be at least 1 ms and at most
// 7 days, the longest limit of a run. InvalidArgument names `option` and gives the form.
absl::StatusOr<int64_t> ParseMilliseconds(std::string_view option, std::string_view text);

// The memory of a run in bytes, from "65536kB", "512MB", "1.5GB" ("K", "M", "G" and "KiB", "MiB", "GiB" mean the same; all are
// powers of 1024). A unit is required, the value must be at least 16 MB and at most what all runs together may use.
// InvalidArgument names `option` and gives the form, or the bound.
absl::StatusOr<int64_t> ParseMemory(std::string_view option, std::string_view text);

// Levels from 0 to 3: "2" is that level and no other, "1-3" the strongest to be had from 1 to 3. InvalidArgument names `option`
// and gives the form.
absl::StatusOr<Isolation> ParseIsolation(std::string_view option, std::string_view text);

// At most three digits that count, as becomes what was measured: "85 ms", "1.23 s", "60 s", "2 min 5 s".
std::string ShowMicroseconds(int64_t microseconds);

// A limit as it was given, to the last digit: "5 ms", "1.234 s", "60 s", "2 min 5 s".
std::string ShowTimeLimit(int64_t milliseconds);

// "512 B", "61.2 MB", "512 MB"; powers of 1024.
std::string ShowBytes(int64_t bytes);

// "1,234,567".
std::string ShowCount(int64_t count);

// "1 row", "1,234 rows".
std::string Counted(int64_t count, std::string_view one, std::string_view many);

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_UNITS_H_
