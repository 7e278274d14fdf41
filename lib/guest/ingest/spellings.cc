#include "lib/guest/ingest/spellings.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/text.h"
#include "lib/guest/ingest/cell_kind.h"

namespace conclave::guest {
namespace {

// Columns of more values than this are prose or names of things, not labels that are counted.
constexpr size_t kMostEntries = 65'536;
constexpr size_t kLongestLabel = 200;
constexpr size_t kNamed = 3;
constexpr size_t kNamedSpellings = 6;

std::string SpellingList(const std::vector<size_t>& entries, const TextDictionary& texts) {
  std::vector<std::string> parts;
  for (const size_t entry : entries) {
    if (parts.size() < kNamedSpellings) parts.push_back(absl::StrCat("'", Excerpt(texts.Entry(entry), 40), "'"));
  }
  if (parts.size() < entries.size()) parts.push_back(absl::StrCat(entries.size() - parts.size(), " more"));
  return Enumerated(parts);
}

}  // namespace

std::optional<IngestQuirk> SpellingsQuirk(const TextDictionary& texts) {
  if (!texts.keeping() || texts.entries() > kMostEntries) return std::nullopt;
  std::map<std::string, std::vector<size_t>> labels;
  for (size_t entry = 0; entry < texts.entries(); ++entry) {
    if (texts.Entry(entry).size() > kLongestLabel) return std::nullopt;  // prose, and memory that nobody counts
    labels[FoldCase(Trimmed(texts.Entry(entry)))].push_back(entry);
  }
  if (labels.size() == texts.entries()) return std::nullopt;
  IngestQuirk quirk{
      .code = "spellings",
      .count = static_cast<int64_t>(texts.entries() - labels.size()),
      .rows = {},
      .detail = absl::StrCat(texts.entries(), " values are ", labels.size(), " when case and blanks around them are ignored: "),
      .notable = false};
  size_t named = 0;
  for (const auto& [label, entries] : labels) {
    if (entries.size() < 2) continue;
    if (named == kNamed) {
      quirk.detail += "; ...";
      break;
    }
    absl::StrAppend(&quirk.detail, named++ == 0 ? "" : "; ", SpellingList(entries, texts));
  }
  return quirk;
}

}  // namespace conclave::guest
