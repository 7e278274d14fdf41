// CaseFolding: how the two engines are made to fold case alike. Both have `lower`, and agree on all letters but two: of a
// dotted capital I one makes an i and the other an i with a dot above, and one knows the small sigma that ends a word.
//
// Thread safety: pure functions.
// Ownership: value types.
#ifndef CONCLAVE_LIB_PLAN_CASE_FOLDING_H_
#define CONCLAVE_LIB_PLAN_CASE_FOLDING_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/plan/plan.h"

namespace conclave {

inline constexpr std::string_view kDottedI = "\xC4\xB0";       // İ
inline constexpr std::string_view kSigma = "\xCF\x83";         // σ
inline constexpr std::string_view kFinalSigma = "\xCF\x82";    // ς
inline constexpr std::string_view kCapitalSigma = "\xCE\xA3";  // Σ

// What must be done to the texts of a column beside `lower`, so that they can be held against `literals`.
struct CaseFolding {
  bool dotted_i = false;  // İ is an i
  bool sigma = false;     // ς is a σ
};

CaseFolding FoldingFor(const std::vector<Literal>& literals);

// `text` in small letters as far as these are ASCII, İ and Σ; the other letters are left to the engine's `lower`.
std::string PartlyFolded(std::string_view text);

bool IsAscii(std::string_view text);

}  // namespace conclave

#endif  // CONCLAVE_LIB_PLAN_CASE_FOLDING_H_
