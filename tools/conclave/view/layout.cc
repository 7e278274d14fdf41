#include "tools/conclave/view/layout.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "absl/strings/str_split.h"

namespace conclave::cli {
namespace {

struct Range {
  uint32_t first;
  uint32_t last;
};

// Unicode 15, East Asian Width W and F, and emoji shown as pictures; close enough for columns to line up.
constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
                           {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
                           {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
                           {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
constexpr Range kCombining[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},  {0x064B, 0x065F}, {0x0E31, 0x0E31},
                                {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF},  {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF},
                                {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF}};

template <size_t kCount>
bool Contains(const Range (&ranges)[kCount], uint32_t c) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [c](const Range& range) { return range.first <= c && c <= range.last; });
}

// Takes one character off `text`, which is valid UTF-8 (other bytes count as one column each), and returns its columns.
size_t TakeCharacter(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const size_t length = std::min<size_t>(lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4, text.size());
  uint32_t c = length == 1 ? lead : lead & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) c = (c << 6) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  text.remove_prefix(length);
  return Contains(kCombining, c) ? 0 : Contains(kWide, c) ? 2 : 1;
}

void SkipPaint(std::string_view& text) {
  while (text.starts_with("\x1b[")) text.remove_prefix(std::min(text.find('m'), text.size() - 1) + 1);
}

std::vector<std::string> Lines(std::string_view block) {
  if (block.ends_with('\n')) block.remove_suffix(1);
  return absl::StrSplit(std::string(block), '\n');
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  for (SkipPaint(text); !text.empty(); SkipPaint(text)) width += TakeCharacter(text);
  return width;
}

std::string CutToWidth(std::string_view text, size_t columns) {
  if (DisplayWidth(text) <= columns) return std::string(text);
  if (columns == 0) return "";
  std::string_view rest = text;
  size_t kept = 0;
  for (size_t width = 0; !rest.empty();) {
    width += TakeCharacter(rest);
    if (width > columns - 1) break;
    kept = text.size() - rest.size();
  }
  return std::string(text.substr(0, kept)) + "…";
}

std::string PadRight(std::string_view text, size_t columns) {
  const size_t width = DisplayWidth(text);
  return std::string(text) + std::string(columns > width ? columns - width : 0, ' ');
}

std::string PadLeft(std::string_view text, size_t columns) {
  const size_t width = DisplayWidth(text);
  return std::string(columns > width ? columns - width : 0, ' ') + std::string(text);
}

std::string Paragraph(std::string_view first, std::string_view text, int width) {
  const size_t indent = DisplayWidth(first);
  const size_t room = width <= 0 ? SIZE_MAX : std::max<size_t>(static_cast<size_t>(width), indent + 20) - indent;
  std::string out(first);
  size_t used = 0;
  const std::vector<std::string> words = absl::StrSplit(std::string(text), ' ', absl::SkipEmpty());
  for (const std::string& word : words) {
    const size_t columns = DisplayWidth(word);
    if (used > 0 && used + 1 + columns > room) {
      out += "\n" + std::string(indent, ' ');
      used = 0;
    }
    if (used > 0) out += ' ';
    used += columns + (used > 0 ? 1 : 0);
    out += word;
  }
  return out + "\n";
}

std::string Indent(std::string_view block, size_t spaces) {
  std::string out;
  for (const std::string& line : Lines(block)) out += (line.empty() ? "" : std::string(spaces, ' ') + line) + "\n";
  return out;
}

std::optional<std::string> SideBySide(std::string_view left, std::string_view right, int width) {
  constexpr size_t kGap = 4;
  const std::vector<std::string> a = Lines(left), b = Lines(right);
  size_t left_width = 0, right_width = 0;
  for (const std::string& line : a) left_width = std::max(left_width, DisplayWidth(line));
  for (const std::string& line : b) right_width = std::max(right_width, DisplayWidth(line));
  if (width > 0 && left_width + kGap + right_width > static_cast<size_t>(width)) return std::nullopt;
  std::string out;
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string& start = i < a.size() ? a[i] : std::string();
    if (i < b.size() && !b[i].empty()) {
      out += PadRight(start, left_width + kGap) + b[i] + "\n";
    } else {
      out += start + "\n";
    }
  }
  return out;
}

}  // namespace conclave::cli
