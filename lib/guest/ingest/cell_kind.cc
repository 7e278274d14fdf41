#include "lib/guest/ingest/cell_kind.h"

#include <cstddef>

namespace conclave::guest {
namespace {

constexpr std::string_view kMarkers[] = {
    "na",   "n/a",    "#n/a", "n.a.", "null",         "none",         "nil",     "-",     "--",     "---",   "?",
    ".",    "..",     "...",  "\\n",  "missing",      "#value!",      "#div/0!", "#ref!", "#name?", "#num!", "#null!",
    "<na>", "(null)", "nat",  "k.a.", "\xE2\x80\x93", "\xE2\x80\x94", "unknown"};
constexpr size_t kLongestWord = 9;

CellKind ReadWord(std::string_view text, bool* positive) {
  if (text.size() > kLongestWord) return CellKind::kText;
  char folded[kLongestWord];
  for (size_t i = 0; i < text.size(); ++i) {
    folded[i] = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
  }
  const std::string_view word(folded, text.size());
  *positive = word == "true" || word == "yes";
  if (word == "true" || word == "false") return CellKind::kTrueFalse;
  if (word == "yes" || word == "no") return CellKind::kYesNo;
  if (word == "nan" || word == "-nan") return CellKind::kNan;
  std::string_view unsigned_word = word;
  if (!word.empty() && (word[0] == '-' || word[0] == '+')) unsigned_word.remove_prefix(1);
  if (unsigned_word == "inf" || unsigned_word == "infinity") return CellKind::kInfinite;
  for (const std::string_view marker : kMarkers) {
    if (word == marker) return CellKind::kMarker;
  }
  return CellKind::kText;
}

}  // namespace

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

CellShape ReadCell(std::string_view cell) {
  CellShape shape;
  const std::string_view text = Trimmed(cell);
  if (text.empty()) return shape;
  // Cheap tests first, for what columns are full of: ISO dates and short words, neither of which is a number.
  if (text.size() >= 10 && text[4] == '-' && ReadDate(text, &shape.date)) {
    shape.kind = CellKind::kDate;
    return shape;
  }
  const bool letter = (text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z');
  if (letter && text.size() <= kLongestWord) {
    shape.kind = ReadWord(text, &shape.positive);
    if (shape.kind != CellKind::kText) return shape;
  }
  switch (ReadNumber(text, &shape.number)) {
    case DigitsVerdict::kNumber: shape.kind = CellKind::kNumber; return shape;
    case DigitsVerdict::kIdentifier: shape.kind = CellKind::kIdentifier; return shape;
    case DigitsVerdict::kNotANumber: break;
  }
  if (ReadDate(text, &shape.date)) {
    shape.kind = CellKind::kDate;
    return shape;
  }
  shape.kind = letter && text.size() <= kLongestWord ? CellKind::kText : ReadWord(text, &shape.positive);
  return shape;
}

bool SaysMissing(std::string_view text) {
  const CellKind kind = ReadCell(text).kind;
  return kind == CellKind::kEmpty || kind == CellKind::kMarker || kind == CellKind::kNan;
}

}  // namespace conclave::guest
