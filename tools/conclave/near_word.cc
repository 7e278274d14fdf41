#include "tools/conclave/near_word.h"

#include <algorithm>

namespace conclave::cli {
namespace {

// Longer words are not mistyped commands; the bound keeps the table small whatever comes in.
constexpr size_t kLongestWord = 64;

size_t Edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> edits(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) edits[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) edits[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1, edits[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
      }
    }
  }
  return edits[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> NearWord(std::string_view typed, const std::vector<std::string>& known) {
  if (typed.size() > kLongestWord) return std::nullopt;
  std::optional<std::string> nearest;
  size_t fewest = typed.size();
  for (const std::string& word : known) {
    const size_t edits = Edits(typed, word);
    if (edits < fewest && edits * 3 <= std::max(typed.size(), word.size())) {
      fewest = edits;
      nearest = word;
    }
  }
  return nearest;
}

}  // namespace conclave::cli
