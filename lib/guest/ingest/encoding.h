// Which encoding a text file has, decided over all its bytes, and its conversion to UTF-8.
//
// Thread safety: pure functions over their arguments.
#ifndef CONCLAVE_LIB_GUEST_INGEST_ENCODING_H_
#define CONCLAVE_LIB_GUEST_INGEST_ENCODING_H_

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "lib/guest/ingest/content.h"

namespace conclave::guest {

// True when the bytes start with a UTF-16 mark, or every other of them is NUL.
bool IsUtf16(std::string_view head);

// How well bytes fit UTF-8.
struct Utf8Census {
  size_t sequences = 0;  // valid characters beyond ASCII
  size_t bad = 0;        // bytes that belong to none
  bool nul = false;
};
Utf8Census CountUtf8(std::string_view bytes);

// Fills text, encoding and what goes with them from content->mapping.
absl::Status DecodeContent(Content* content);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_ENCODING_H_
