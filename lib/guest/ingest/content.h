// Content: the bytes of a user's file as one stretch of UTF-8 text. Looks at the bytes, never at the file's name: what is not
// delimited text is refused with the name of what it is.
//
// Thread safety: immutable after Open.
// Ownership: owns the mapping (or the converted copy); the descriptor is only borrowed.
#ifndef CONCLAVE_LIB_GUEST_INGEST_CONTENT_H_
#define CONCLAVE_LIB_GUEST_INGEST_CONTENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace conclave::guest {

// Memory mapped for reading.
class Mapping {
 public:
  Mapping() = default;
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  static absl::StatusOr<Mapping> Of(int fd, size_t size);
  std::string_view bytes() const { return {address_, size_}; }

 private:
  const char* address_ = nullptr;
  size_t size_ = 0;
};

struct Content {
  // Without byte order marks. Valid UTF-8 unless `invalid_utf8`.
  std::string_view text;
  std::string encoding;  // "utf-8", "utf-8-sig", "utf-16-le", "windows-1252", ...
  bool encoding_guessed = false;
  uint64_t marks = 0;         // byte order marks at the start; a file needs one at most
  bool invalid_utf8 = false;  // some bytes are not UTF-8; cells have to be repaired
  bool has_nul = false;
  uint64_t replaced = 0;  // characters that the conversion had to replace

  Mapping mapping;
  std::unique_ptr<std::string> converted;
};

// Maps the file behind `fd` and converts it to UTF-8 when it is something else. Large conversions go to a nameless file in the
// working folder. Refuses with EmptyInput, NotAFile, UnsupportedFormat, BinaryInput or Encoding.
absl::StatusOr<Content> OpenContent(int fd);

// The format whose signature `head` (the first bytes of a file) carries, with what to do about it; empty when there is none.
std::string ForeignFormat(std::string_view head);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_CONTENT_H_
