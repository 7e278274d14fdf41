// Near word: what a mistyped word may have been meant to be.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_TOOLS_CONCLAVE_NEAR_WORD_H_
#define CONCLAVE_TOOLS_CONCLAVE_NEAR_WORD_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conclave::cli {

// The word of `known` fewest edits away from `typed` (a swap of neighbours counts as one), when that is close enough to be a
// slip of the fingers: at most one edit in three characters. Ties go to the earlier word.
std::optional<std::string> NearWord(std::string_view typed, const std::vector<std::string>& known);

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_NEAR_WORD_H_
