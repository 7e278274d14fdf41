#include "lib/answer/text_folding.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "absl/strings/ascii.h"

namespace conclave {
namespace {

// Characters people use for one another. Minus signs and dashes become '-', typographic quotes plain ones.
utf8proc_int32_t PlainPunctuation(utf8proc_int32_t c, void*) {
  if (c < 0x2000) return c == 0x02BC || c == 0x00B4 || c == '`' ? '\'' : c;
  if ((c >= 0x2010 && c <= 0x2015) || c == 0x2212) return '-';
  if ((c >= 0x2018 && c <= 0x201B) || c == 0x2032) return '\'';
  if ((c >= 0x201C && c <= 0x201F) || c == 0x2033) return '"';
  return c;
}

std::string CollapseSpace(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool pending = false;
  for (char c : text) {
    if (absl::ascii_isspace(static_cast<unsigned char>(c))) {
      pending = !out.empty();
      continue;
    }
    if (pending) out.push_back(' ');
    pending = false;
    out.push_back(c);
  }
  return out;
}

std::string Normalise(std::string_view text, bool fold_case) {
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) {
    std::string out = CollapseSpace(text);
    std::replace(out.begin(), out.end(), '`', '\'');
    return fold_case ? absl::AsciiStrToLower(out) : out;
  }
  const int folding = fold_case ? UTF8PROC_CASEFOLD : 0;
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_IGNORE | folding);
  utf8proc_uint8_t* mapped = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map_custom(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                          &mapped, options, PlainPunctuation, nullptr);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(mapped, std::free);
  if (size < 0) return CollapseSpace(text);
  return CollapseSpace({reinterpret_cast<const char*>(mapped), static_cast<size_t>(size)});
}

}  // namespace

std::string FoldText(std::string_view text) { return Normalise(text, true); }

std::string TrimText(std::string_view text) { return Normalise(text, false); }

}  // namespace conclave
