// Lexicon: the closed list of words and phrases that the offline analyst knows, apart from the names and values of a table.
//
// Thread safety: pure functions over constants.
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_LEXICON_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_LEXICON_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/plan/plan.h"

namespace conclave::offline {

enum class Keyword {
  kWhat,
  kBe,
  kDo,
  kHave,
  kShow,
  kList,
  kHowMany,
  kHowMuch,
  kCountWord,
  kDistinct,
  kValues,
  kMissing,
  kWithout,
  kNot,
  kPercent,
  kOf,
  kIn,
  kWith,
  kAnd,
  kComma,
  kOr,
  kBy,
  kTop,
  kBottom,
  kHighest,
  kLowest,
  kMost,
  kFewest,
  kCommon,
  kOften,
  kOccurs,
  kFirst,
  kDescending,
  kAscending,
  kSorted,
  kDecimals,
  kRoundedTo,
  kAs,
  kTo,
  kBetween,
  kStarts,
  kContains,
  kAfter,
  kBefore,
  kSince,
  kUntil,
  kColumnWord,
  kType,
  kTheir,
  kRowNoun,
  kTableWord,
  kPlus,
  kMinus,
  kTimes,
  kDivided,
  kExist,
  kTotal,
  kAll,
  kQuartiles,
  kPercentile,
  kMode,
  kFunction,   // `function` and `quantile` say which
  kTest,       // `test` says which
  kDatePart,   // `part` says which
  kMonthName,  // `number` says which
};

// The tables and rules of the grammar are lists of keywords, in which the word itself would be most of each line.
using K = Keyword;

struct Phrase {
  std::string_view text;  // folded words with one space between
  Keyword keyword = Keyword::kWhat;
  Function function = Function::kCountRows;
  std::string_view quantile = {};
  Test test = Test::kEqual;
  DatePart part = DatePart::kNone;
  int number = 0;
  bool of_time = false;  // of dates only: "latest", not "highest"
};

// The phrases that are exactly `text`.
std::vector<const Phrase*> PhrasesOf(std::string_view text);

// The most words a phrase has.
inline constexpr size_t kLongestPhrase = 6;

// True function words that say nothing and may stand anywhere.
bool IsStopWord(std::string_view folded);

// "five" is "5".
std::optional<std::string> NumberWord(std::string_view folded);

// "90th" is "90"; other words are no ordinals.
std::optional<std::string> Ordinal(std::string_view folded);

// Everyday words for one thing, each group led by the word all others stand for: "quantity" and "qty" are both "qty".
std::string_view Everyday(std::string_view folded);

// Words for people of one sex, as "male" or "female"; empty otherwise.
std::string_view SexOf(std::string_view folded);

// True for words that name one person each: "passengers", "employee".
bool IsPersonNoun(std::string_view folded);

// True for words under which values are added up in everyday speech: "sales", "qty".
bool IsAdditiveWord(std::string_view folded);

// True for words that turn a number into one that must not be added up: "unit", "rate", "max".
bool IsRateWord(std::string_view folded);

// Why a question with this word is beyond the offline analyst, and what to do instead; empty for other words.
// An empty way on: a figure has to be named, and the columns of the table say which there are.
struct Beyond {
  std::string_view reason;
  std::string_view way_on;
};
Beyond BeyondReach(std::string_view folded);

}  // namespace conclave::offline

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_LEXICON_H_
