#include "lib/dataset/neighbours.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/edit_distance.h"
#include "lib/base/text.h"

namespace conclave {
namespace {

constexpr size_t kMostEntries = 10'000;
constexpr size_t kShown = 5;
constexpr size_t kLongestName = 255;

std::string Lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return text;
}

// Names of the regular files in a folder, in order.
std::vector<std::string> FileNames(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, std::filesystem::directory_options::skip_permission_denied, error);
  for (size_t seen = 0; !error && entries != std::filesystem::directory_iterator() && seen < kMostEntries; ++seen) {
    std::error_code ignored;
    if (entries->is_regular_file(ignored)) names.push_back(entries->path().filename().string());
    entries.increment(error);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::string DidYouMean(const std::string& path) {
  if (path.find('\0') != std::string::npos) return "";
  const std::filesystem::path whole(path);
  std::filesystem::path folder = whole.parent_path();
  if (folder.empty()) folder = ".";
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    return absl::StrCat(" (there is no folder \"", Excerpt(folder.string(), 200), "\")");
  }
  const std::string wanted = Lower(whole.filename().string());
  if (wanted.empty() || wanted.size() > kLongestName) return "";
  std::string best;
  size_t best_distance = std::max<size_t>(2, wanted.size() / 4) + 1;
  for (const std::string& name : FileNames(folder)) {
    const size_t distance = EditDistance(wanted, Lower(name), NeighbourSwap::kOneEdit);
    if (distance >= best_distance) continue;
    best = name;
    best_distance = distance;
  }
  return best.empty() ? "" : absl::StrCat(" (did you mean \"", Excerpt(best, 200), "\"?)");
}

std::string FilesIn(const std::string& folder) {
  if (folder.empty()) return "";
  const std::vector<std::string> names = FileNames(folder);
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) absl::StrAppend(&list, i == 0 ? "" : ", ", Excerpt(names[i], 80));
  if (list.empty()) return "";
  return absl::StrCat(" (", list, names.size() > kShown ? ", ...)" : ")");
}

}  // namespace conclave
