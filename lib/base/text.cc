#include "lib/base/text.h"

#include <cstdint>

#include "absl/strings/str_format.h"

namespace conclave {
namespace {

struct Decoded {
  uint32_t code_point = 0;
  size_t bytes = 0;  // 0: invalid at this place
};

Decoded DecodeOne(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || lead > 0xF4 || text.size() < length) return {};
  uint32_t code_point = lead & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code_point = (code_point << 6) | (byte(i) & 0x3F);
  }
  static constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code_point < kSmallest[length] || code_point > 0x10FFFF) return {};
  if (code_point >= 0xD800 && code_point <= 0xDFFF) return {};
  return {code_point, length};
}

// Characters that change how a terminal or a reader shows the text around them.
bool IsDeceptive(uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE007F);
}

}  // namespace

std::string Excerpt(std::string_view text, size_t bytes) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    Decoded one = DecodeOne(text.substr(i));
    std::string shown;
    if (one.bytes == 0) {
      shown = absl::StrFormat("\\x%02x", static_cast<unsigned char>(text[i]));
      one.bytes = 1;
    } else if (one.code_point == '\n') {
      shown = "\\n";
    } else if (one.code_point == '\t') {
      shown = "\\t";
    } else if (IsDeceptive(one.code_point)) {
      shown = absl::StrFormat("\\u%04x", one.code_point);
    } else {
      shown = std::string(text.substr(i, one.bytes));
    }
    if (out.size() + shown.size() > bytes) return out + "...";
    out += shown;
    i += one.bytes;
  }
  return out;
}

std::string ExcerptOfCell(std::string_view text, size_t bytes) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  const std::string shown = Excerpt(text, bytes);
  if (text.empty() || !(blank(text.front()) || blank(text.back()))) return shown;
  return "\"" + shown + "\"";
}

bool IsValidUtf8(std::string_view text) {
  while (!text.empty()) {
    Decoded one = DecodeOne(text);
    if (one.bytes == 0) return false;
    text.remove_prefix(one.bytes);
  }
  return true;
}

namespace {

// U+0100 to U+017F: capitals and small letters take turns. İ and Ÿ have a small letter elsewhere, and ı, ĸ, ŉ and ſ no capital
// here.
void FoldExtendedLatin(char* letter) {
  const unsigned point = (static_cast<unsigned char>(letter[0]) & 0x1Fu) << 6 | (static_cast<unsigned char>(letter[1]) & 0x3Fu);
  unsigned folded = point;
  const bool even = point <= 0x137 || (point >= 0x14A && point <= 0x177);
  const bool odd = (point >= 0x139 && point <= 0x148) || (point >= 0x179 && point <= 0x17E);
  if (point == 0x178) folded = 0xFF;
  if (point != 0x130 && ((even && point % 2 == 0) || (odd && point % 2 == 1))) folded = point + 1;
  letter[0] = static_cast<char>(0xC0 | folded >> 6);
  letter[1] = static_cast<char>(0x80 | (folded & 0x3F));
}

}  // namespace

std::string FoldCase(std::string_view text) {
  std::string result(text);
  for (size_t i = 0; i < result.size(); ++i) {
    const auto byte = static_cast<unsigned char>(result[i]);
    const unsigned char next = i + 1 < result.size() ? static_cast<unsigned char>(result[i + 1]) : 0;
    if (byte < 0x80) {
      result[i] = static_cast<char>(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
    } else if (byte == 0xC3 && next >= 0x80 && next <= 0x9E && next != 0x97) {  // À to Þ
      result[++i] = static_cast<char>(next + 0x20);
    } else if ((byte == 0xC4 || byte == 0xC5) && next >= 0x80 && next <= 0xBF) {  // Ā to ž
      FoldExtendedLatin(&result[i]);
      ++i;
    } else if (byte == 0xCE && next >= 0x86 && next <= 0x8F) {  // Greek with a tonos
      static constexpr std::string_view kSmall = "\xCE\xAC..\xCE\xAD\xCE\xAE\xCE\xAF..\xCF\x8C..\xCF\x8D\xCF\x8E";
      const std::string_view small = kSmall.substr(2 * (next - 0x86u), 2);
      if (small[0] != '.') result.replace(i, 2, small);
      ++i;
    } else if (byte == 0xD0 && next >= 0x80 && next <= 0x8F) {  // Ѐ to Џ
      result[i] = static_cast<char>(0xD1);
      result[++i] = static_cast<char>(next + 0x10);
    } else if (byte == 0xCE && next >= 0x91 && next <= 0x9F) {  // Greek, first half
      result[++i] = static_cast<char>(next + 0x20);
    } else if (byte == 0xCE && next >= 0xA0 && next <= 0xA9) {
      result[i] = static_cast<char>(0xCF);
      result[++i] = static_cast<char>(next - 0x20);
    } else if (byte == 0xD0 && next >= 0x90 && next <= 0x9F) {  // Cyrillic, first half
      result[++i] = static_cast<char>(next + 0x20);
    } else if (byte == 0xD0 && next >= 0xA0 && next <= 0xAF) {
      result[i] = static_cast<char>(0xD1);
      result[++i] = static_cast<char>(next - 0x20);
    }
  }
  return result;
}

std::string Enumerated(const std::vector<std::string>& parts, std::string_view last) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += i + 1 < parts.size() ? ", " : " " + std::string(last) + " ";
    out += parts[i];
  }
  return out;
}

std::string RepairUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    Decoded one = DecodeOne(text);
    if (one.bytes == 0) {
      out += "\xEF\xBF\xBD";
      one.bytes = 1;
    } else {
      out += text.substr(0, one.bytes);
    }
    text.remove_prefix(one.bytes);
  }
  return out;
}

}  // namespace conclave
