// Folding: labels that people would call the same become the same bytes. Accents stay: "São" is not "Sao".
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_ANSWER_TEXT_FOLDING_H_
#define CONCLAVE_LIB_ANSWER_TEXT_FOLDING_H_

#include <string>
#include <string_view>

namespace conclave {

// `text` in Unicode's NFKC form, case-folded, without zero-width characters, with quotes and dashes made plain, runs of white
// space made one space, and none at the ends. Text that is not UTF-8 only loses its outer white space.
std::string FoldText(std::string_view text);

// The same without the case folding: what is compared where a column tells spellings apart by case alone.
std::string TrimText(std::string_view text);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANSWER_TEXT_FOLDING_H_
