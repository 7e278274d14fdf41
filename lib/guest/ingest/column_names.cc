#include "lib/guest/ingest/column_names.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "lib/base/text.h"

namespace conclave::guest {
namespace {

constexpr size_t kLongestName = 200;
constexpr size_t kLongestLabel = 1000;

std::string CutText(const std::string& text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

// Control characters and white space, and the no-break space, become single spaces; none at the ends.
std::string Tidied(std::string_view text) {
  std::string name;
  bool space = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool wide_space = text.substr(i, 2) == "\xC2\xA0";
    if (wide_space || static_cast<unsigned char>(text[i]) <= ' ' || text[i] == '\x7f') {
      space = !name.empty();
      if (wide_space) ++i;
      continue;
    }
    if (space) name += ' ';
    space = false;
    name += text[i];
  }
  return name;
}

std::string Folded(std::string_view name) {
  std::string folded(name);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return folded;
}

}  // namespace

std::vector<ColumnName> NameColumns(const std::vector<Cell>& header, size_t columns) {
  std::vector<ColumnName> names(columns);
  // Names that stand in the header come before names that are made up, so that "a, a, a_2" keeps its own "a_2".
  std::unordered_set<std::string> taken;
  std::unordered_set<std::string> written;
  std::unordered_map<std::string, size_t> copies;
  for (size_t i = 0; i < columns; ++i) {
    ColumnName& column = names[i];
    if (i < header.size()) column.label = CutText(RepairUtf8(header[i].text.substr(0, kLongestLabel * 2)), kLongestLabel);
    column.name = CutText(Tidied(column.label), kLongestName);
    if (i < header.size() && header[i].text.size() > kLongestName) {
      column.quirks.push_back({"long_header", 0, {}, "the name was cut to its first 200 bytes", true});
    }
    if (!column.name.empty()) written.insert(Folded(column.name));
  }
  for (size_t i = 0; i < columns; ++i) {
    ColumnName& column = names[i];
    if (column.name.empty()) {
      column.name = absl::StrCat("column_", i + 1);
      while (written.count(column.name) > 0 || taken.count(column.name) > 0) column.name += "_";
      if (!header.empty()) column.quirks.push_back({"empty_header", 0, {}, "the header has no name for this column", false});
      taken.insert(column.name);
      continue;
    }
    if (taken.insert(Folded(column.name)).second) continue;
    const std::string base = column.name;
    // The second column of a name is its second.
    size_t& number = copies.try_emplace(Folded(base), 2).first->second;
    for (;; ++number) {
      column.name = absl::StrCat(base, "_", number);
      const std::string folded = Folded(column.name);
      if (written.count(folded) == 0 && taken.insert(folded).second) break;
    }
    column.quirks.push_back(
        {"duplicate_header", 0, {}, absl::StrCat("another column is called \"", Excerpt(base, 60), "\" already"), false});
  }
  return names;
}

}  // namespace conclave::guest
