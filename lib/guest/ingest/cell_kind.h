// CellKind: what a cell looks like on its own. Which type its column has is decided over all of its cells: column_census.h.
//
// Thread safety: pure function.
#ifndef CONCLAVE_LIB_GUEST_INGEST_CELL_KIND_H_
#define CONCLAVE_LIB_GUEST_INGEST_CELL_KIND_H_

#include <cstdint>
#include <string_view>

#include "lib/guest/ingest/date_lexeme.h"
#include "lib/guest/ingest/number_lexeme.h"

namespace conclave::guest {

enum class CellKind : uint8_t {
  kEmpty,      // nothing, or only white space
  kMarker,     // a spelling of "missing": missing in a column of numbers, dates or booleans, also in one that would be of these
               // but for some of its cells; data in any other column of text
  kNan,        // "nan"
  kInfinite,   // "inf", "-Infinity"
  kTrueFalse,  // true, FALSE
  kYesNo,      // yes, No
  kNumber,
  kIdentifier,  // digits that are no number: leading zeros, too many for 64 bits, a telephone number
  kDate,
  kText,
};
inline constexpr int kCellKinds = 10;

struct CellShape {
  CellKind kind = CellKind::kEmpty;
  bool positive = false;  // of kTrueFalse and kYesNo: true, yes
  NumberLexeme number;
  DateLexeme date;
};

// `text` without surrounding spaces and tabs.
std::string_view Trimmed(std::string_view text);

CellShape ReadCell(std::string_view text);

// True for cells that are missing in a column of numbers, dates or booleans.
bool SaysMissing(std::string_view text);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_CELL_KIND_H_
