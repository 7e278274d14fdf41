// Text: small pure functions over UTF-8 text that several folders need.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_BASE_TEXT_H_
#define CONCLAVE_LIB_BASE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace conclave {

// `text` cut to at most `bytes` bytes at a character boundary, with "..." where something was cut, and with control,
// bidirectional and zero-width characters shown as escapes. For offending values in messages and for cell text on terminals.
std::string Excerpt(std::string_view text, size_t bytes);

// Excerpt() in quotes where `text` begins or ends with a blank, which would not be seen.
std::string ExcerptOfCell(std::string_view text, size_t bytes);

// True when `text` is valid UTF-8 (RFC 3629: no surrogates, no overlong forms).
bool IsValidUtf8(std::string_view text);

// `text` in small letters: ASCII, Latin-1 and Latin Extended-A, Greek and Cyrillic; İ and other letters stay. Keeps the length
// in bytes. For telling whether two labels are one.
std::string FoldCase(std::string_view text);

// "a", "a and b", "a, b and c": the parts as they are, with `last` as the word before the last one.
std::string Enumerated(const std::vector<std::string>& parts, std::string_view last = "and");

// `text` with every byte that is not part of valid UTF-8 replaced by U+FFFD.
std::string RepairUtf8(std::string_view text);

}  // namespace conclave

#endif  // CONCLAVE_LIB_BASE_TEXT_H_
