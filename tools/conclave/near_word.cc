#include "tools/conclave/near_word.h"

#include <algorithm>

#include "lib/base/edit_distance.h"

namespace conclave::cli {
namespace {

// Longer words are not mistyped commands; the bound keeps the table small whatever comes in.
constexpr size_t kLongestWord = 64;

}  // namespace

std::optional<std::string> NearWord(std::string_view typed, const std::vector<std::string>& known) {
  if (typed.size() > kLongestWord) return std::nullopt;
  std::optional<std::string> nearest;
  size_t fewest = typed.size();
  for (const std::string& word : known) {
    const size_t edits = EditDistance<std::string_view>(typed, word, NeighbourSwap::kOneEdit);
    if (edits < fewest && edits * 3 <= std::max(typed.size(), word.size())) {
      fewest = edits;
      nearest = word;
    }
  }
  return nearest;
}

}  // namespace conclave::cli
