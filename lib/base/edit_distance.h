// Edit distance: how many slips of the fingers lie between two words.
//
// Thread safety: pure functions.
// Ownership: none.
#ifndef CONCLAVE_LIB_BASE_EDIT_DISTANCE_H_
#define CONCLAVE_LIB_BASE_EDIT_DISTANCE_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace conclave {

enum class NeighbourSwap {
  kTwoEdits,  // "ab" to "ba": a removal and an insertion (Levenshtein's distance)
  kOneEdit,   // typed in the wrong order: one slip; letters that were swapped are not edited further
};

// The fewest insertions, removals and replacements of elements that turn `a` into `b`. Takes time in the product of the lengths
// and memory in the length of `b`: callers bound what they pass. `Sequence` is a std::string_view for bytes, a vector of code
// points for letters.
template <typename Sequence>
size_t EditDistance(const Sequence& a, const Sequence& b, NeighbourSwap swap = NeighbourSwap::kTwoEdits) {
  std::vector<size_t> before(b.size() + 1);  // two rows up, one row up, and the row being filled
  std::vector<size_t> above(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && swap == NeighbourSwap::kOneEdit) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace conclave

#endif  // CONCLAVE_LIB_BASE_EDIT_DISTANCE_H_
