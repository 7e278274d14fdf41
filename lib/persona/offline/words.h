// Words: a question cut into words, and the ways in which two words count as the same.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_WORDS_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_WORDS_H_

#include <string>
#include <string_view>
#include <vector>

namespace conclave::offline {

enum class WordKind {
  kWord,
  kNumber,  // raw and folded: as written, with either decimal mark (numerals.h)
  kDate,    // folded: ISO date, of a day that there is
  kNoDate,  // folded: the same as raw; looks like a date, but names no day, or in a form that can mean several: 13/45/2020
  kQuoted,  // raw and folded: what stands between the quotes
  kSymbol,  // folded: one of = <> < <= > >= + - * / , % or a character with no meaning here
};

struct Word {
  WordKind kind = WordKind::kWord;
  std::string raw;     // as it stands in the question
  std::string folded;  // lower case
  bool operator==(const Word&) const = default;
};

// Question marks, full stops at the end, colons and parentheses are dropped; "what's" becomes "what", "is"; hyphens split
// words. Everything else is kept, so that nothing a person wrote is lost unseen.
std::vector<Word> SplitWords(std::string_view question);

// The days, as ISO dates, that a word of kind kNoDate may mean: none for "2023-02-29", two for "03/04/2020".
std::vector<std::string> DaysMeantBy(std::string_view text);

// Length of the sign of a currency at the start of `text`, or 0.
size_t CurrencyLength(std::string_view text);

// The words of a name: split at anything that is no letter or digit and where lower case meets upper case, folded.
// "TotalSales_2024" is "total", "sales", "2024".
std::vector<std::string> NameWords(std::string_view name);

// The singular of an English noun, or the word itself: "countries" is "country", "classes" is "class", "bus" stays.
std::string Singular(std::string_view word);

// Number of single-character edits between the two, at most `bound` + 1.
size_t EditDistance(std::string_view a, std::string_view b, size_t bound);

}  // namespace conclave::offline

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_WORDS_H_
