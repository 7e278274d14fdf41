#include "tools/conclave/view/json_text.h"

#include <cstdint>
#include <string_view>

#include "absl/strings/str_format.h"
#include "lib/base/text.h"

namespace conclave::cli {
namespace {

std::string JsonEscape(uint32_t c) {
  if (c < 0x10000) return absl::StrFormat("\\u%04x", c);
  c -= 0x10000;
  return absl::StrFormat("\\u%04x\\u%04x", 0xD800 + (c >> 10), 0xDC00 + (c & 0x3FF));
}

}  // namespace

std::string JsonText(const Json& document) {
  const std::string text = document.Text(2);
  std::string out;
  out.reserve(text.size() + 1);
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x7F) {  // the writer has escaped controls in strings; between them they are layout
      out += text[i++];
      continue;
    }
    const size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    const std::string_view character = std::string_view(text).substr(i, length);
    if (Excerpt(character, 64) == character) {
      out += character;
    } else {
      uint32_t c = length == 1 ? lead : lead & (0x7Fu >> length);
      for (size_t k = 1; k < character.size(); ++k) c = (c << 6) | (static_cast<unsigned char>(character[k]) & 0x3Fu);
      out += JsonEscape(c);
    }
    i += character.size();
  }
  return out + "\n";
}

}  // namespace conclave::cli
