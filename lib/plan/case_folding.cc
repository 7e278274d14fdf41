#include "lib/plan/case_folding.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"

namespace conclave {
namespace {

constexpr std::string_view kDotAbove = "\xCC\x87";

bool Holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

CaseFolding FoldingFor(const std::vector<Literal>& literals) {
  CaseFolding folding;
  for (const Literal& literal : literals) {
    const std::string_view text = literal.text;
    folding.dotted_i =
        folding.dotted_i || Holds(text, "i") || Holds(text, "I") || Holds(text, kDottedI) || Holds(text, kDotAbove);
    folding.sigma = folding.sigma || Holds(text, kSigma) || Holds(text, kFinalSigma) || Holds(text, kCapitalSigma);
  }
  return folding;
}

std::string PartlyFolded(std::string_view text) {
  const std::string sigma(kSigma);
  const std::string replaced = absl::StrReplaceAll(
      std::string(text),
      {{std::string(kDottedI), "i"}, {std::string(kFinalSigma), sigma}, {std::string(kCapitalSigma), sigma}});
  return absl::AsciiStrToLower(replaced);
}

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace conclave
