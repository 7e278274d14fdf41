// Sketch: what a parse has collected of a question, before it is checked and made into a plan.
//
// Thread safety: value types.
// Ownership: value types; columns are borrowed from the profile.
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_SKETCH_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_SKETCH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conclave/v1/profile.pb.h"
#include "lib/plan/plan.h"

namespace conclave::offline {

// A term as it was named, with the profile of its columns.
struct NamedTerm {
  Term term;
  const v1::ColumnProfile* column = nullptr;
  const v1::ColumnProfile* other = nullptr;
  bool operator==(const NamedTerm&) const = default;
};

struct Measure {
  std::optional<Function> function;  // nullopt: a bare column ("sales by month")
  NamedTerm of;
  std::string quantile;
  std::string time_word;  // "latest": only dates have a first and a last
  bool operator==(const Measure&) const = default;
};

enum class Form {
  kMeasures,
  kRank,    // which key has the highest measure; the n keys with the highest
  kCommon,  // most common value of a column
  kDistinct,
  kRows,
  kHaving,  // groups with a number of rows above a bound
  kColumnCount,
  kColumnTypes,
  kMissingPerColumn,
  kMostMissing,
};

struct SortRequest {
  std::optional<NamedTerm> by;  // nullopt: by the measure
  bool descending = false;
  bool operator==(const SortRequest&) const = default;
};

struct Sketch {
  Form form = Form::kMeasures;
  std::vector<Measure> measures;
  std::vector<NamedTerm> keys;
  std::vector<Filter> filters;
  std::vector<Filter> condition;  // of a percentage of rows
  bool list = false;              // rows themselves are asked for
  bool bare_count = false;        // neither a number nor a list was asked for ("orders above 100")
  bool descending = true;         // kRank, kCommon
  bool additive = false;          // kRank: "most sales" adds up
  int64_t count = 1;              // kRank
  bool label_only = true;         // kRank
  std::optional<Having> having;
  std::optional<SortRequest> sort;
  std::optional<int> decimals;
  bool percent_format = false;
  bool needs_dates = false;  // a year is asked for, and no column can tell one
  std::vector<std::string> assumptions;
  // Words and the column or value taken for them, to explain an ambiguity.
  std::vector<std::pair<std::string, std::string>> picks;
  // Why this reading cannot be answered; empty when it can.
  std::string problem;
  std::vector<std::string> suggestions;
  bool operator==(const Sketch&) const = default;
};

}  // namespace conclave::offline

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_SKETCH_H_
