#include "lib/answer/expectation.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "lib/answer/text_folding.h"

namespace conclave {
namespace {

using WordSequence = std::initializer_list<std::string_view>;

// The question as folded words, without punctuation; quoted parts are column names or values and become one opaque word.
class QuestionWords {
 public:
  explicit QuestionWords(std::string_view question) {
    const std::string folded = FoldText(question);
    std::string word;
    bool quoted = false;
    for (char c : folded) {
      if (c == '"') {
        quoted = !quoted;
        if (!quoted) word = "\"";
      }
      const bool part = !quoted && c != '"' &&
                        (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '\'' || c == '%' ||
                         static_cast<unsigned char>(c) >= 0x80);
      if (part) word.push_back(c);
      if (!part && !word.empty()) {
        words_.push_back(std::move(word));
        word.clear();
      }
    }
    if (!word.empty()) words_.push_back(std::move(word));
  }

  size_t size() const { return words_.size(); }
  std::string_view at(size_t i) const { return i < words_.size() ? std::string_view(words_[i]) : std::string_view(); }

  bool IsAt(size_t i, WordSequence sequence) const {
    for (std::string_view word : sequence) {
      if (at(i++) != word) return false;
    }
    return true;
  }

  // Where the sequence first occurs.
  std::optional<size_t> Find(WordSequence sequence) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      if (IsAt(i, sequence)) return i;
    }
    return std::nullopt;
  }

  bool StartsWith(WordSequence sequence) const { return IsAt(0, sequence); }
  bool Has(std::string_view word) const { return Find({word}).has_value(); }

  template <size_t n>
  bool HasAny(const std::array<std::string_view, n>& words) const {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return Has(word); });
  }

 private:
  std::vector<std::string> words_;
};

std::optional<int> ReadSmallNumber(std::string_view word) {
  static constexpr std::array<std::string_view, 13> kWords = {"zero",  "one",   "two",  "three", "four",   "five",  "six",
                                                              "seven", "eight", "nine", "ten",   "eleven", "twelve"};
  for (size_t i = 0; i < kWords.size(); ++i) {
    if (word == kWords[i]) return static_cast<int>(i);
  }
  int value = 0;
  if (!word.empty() && word.size() <= 5 && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
      absl::SimpleAtoi(std::string(word), &value)) {
    return value;
  }
  return std::nullopt;
}

// "to 2 decimals", "rounded to two decimal places", "with one decimal", "to the nearest integer".
std::optional<int> DecimalsAsked(const QuestionWords& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words.at(i);
    if (word != "decimal" && word != "decimals" && word != "dp") continue;
    const std::optional<int> decimals = ReadSmallNumber(words.at(i - 1));
    if (decimals && *decimals <= 20) return decimals;
  }
  for (std::string_view whole : {"integer", "whole"}) {
    if (words.Find({"nearest", whole})) return 0;
  }
  return std::nullopt;
}

bool AsksPercent(const QuestionWords& words) {
  for (std::string_view word : {"percent", "percentage", "%", "pct"}) {
    const std::optional<size_t> place = words.Find({word});
    // "in percent", "what percentage of", but not "discount above 10 percent".
    if (place && !(*place > 0 && ReadSmallNumber(words.at(*place - 1)))) return true;
  }
  return words.Find({"what", "share"}) || words.StartsWith({"share", "of"}) || words.Find({"per", "cent"});
}

struct TopWords {
  int count = 0;
  bool found = false;
};

// "top 5 products", "bottom three regions", "5 largest cities", "the ten most expensive".
TopWords TopAsked(const QuestionWords& words) {
  static constexpr std::array<std::string_view, 16> kExtremes = {
      "largest", "biggest", "smallest", "highest", "lowest",   "most",     "least",  "best",
      "worst",   "longest", "shortest", "oldest",  "youngest", "cheapest", "newest", "latest"};
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string_view word = words.at(i);
    if (word == "top" || word == "bottom" || word == "first" || word == "last") {
      const std::optional<int> count = ReadSmallNumber(words.at(i + 1));
      const bool ranked = word == "top" || word == "bottom";
      if (count && *count > 0 && ranked) return {*count, true};
    }
    const std::optional<int> count = ReadSmallNumber(word);
    if (count && *count > 1 && std::find(kExtremes.begin(), kExtremes.end(), words.at(i + 1)) != kExtremes.end()) {
      return {*count, true};
    }
  }
  return {};
}

bool AsksOrder(const QuestionWords& words) {
  for (std::string_view extreme :
       {"highest", "lowest", "largest", "smallest", "cheapest", "newest", "oldest", "latest", "biggest"}) {
    if (words.Find({extreme, "first"})) return true;
  }
  for (std::string_view verb : {"sorted", "ordered", "ranked", "sort", "order", "rank"}) {
    if (words.Find({verb, "by"}) || words.Find({verb, "from"})) return true;
  }
  return words.Has("descending") || words.Has("ascending") || words.Find({"in", "alphabetical", "order"});
}

// "by region", "per class", "for each month": one row a group. Not "by 10 %", "divided by", "sorted by".
bool AsksGroups(const QuestionWords& words) {
  if (words.Find({"for", "each"}) || words.Find({"for", "every"})) return true;
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string_view word = words.at(i);
    if (word != "by" && word != "per") continue;
    if (word == "per" && (words.at(i + 1) == "cent" || words.at(i + 1) == "mille" || words.at(i + 1) == "capita")) continue;
    static constexpr std::array<std::string_view, 18> kNotGroups = {
        "divided", "multiplied", "sorted", "ordered", "ranked", "sort",    "order", "rank",     "weighted",
        "more",    "increased",  "grew",   "made",    "bought", "written", "sold",  "followed", "outliers"};
    if (std::find(kNotGroups.begin(), kNotGroups.end(), words.at(i - 1)) != kNotGroups.end()) continue;
    if (ReadSmallNumber(words.at(i + 1))) continue;
    if (words.at(i + 1) == "iqr" || words.at(i + 1) == "z") continue;
    return true;
  }
  return false;
}

bool AsksYesOrNo(const QuestionWords& words) {
  static constexpr std::array<std::string_view, 12> kVerbs = {"is",  "are", "was",  "were", "does",   "do",
                                                              "did", "has", "have", "can",  "should", "will"};
  return std::find(kVerbs.begin(), kVerbs.end(), words.at(0)) != kVerbs.end();
}

// A second question or figure makes any single kind a guess.
bool AsksSeveral(const QuestionWords& words) {
  static constexpr std::array<std::string_view, 15> kMeasures = {"mean",  "average", "median",    "minimum",  "maximum",
                                                                 "min",   "max",     "std",       "range",    "sum",
                                                                 "total", "count",   "quartiles", "variance", "deviation"};
  size_t measures = 0;
  for (std::string_view measure : kMeasures) measures += words.Has(measure) ? 1 : 0;
  for (size_t i = 1; i < words.size(); ++i) {
    const bool joined = words.at(i - 1) == "and" || (i > 1 && words.at(i - 2) == "and") || words.at(i) == "how";
    if (joined && (words.at(i) == "how" || words.at(i) == "which" || words.at(i) == "what" || words.at(i) == "when"))
      return true;
  }
  return measures > 1;
}

v1::AnswerKind KindAsked(const QuestionWords& words, bool percent, const TopWords& top) {
  static constexpr std::array<std::string_view, 6> kSingleMeasures = {"mean", "average",  "median",
                                                                      "std",  "variance", "correlation"};
  if (AsksSeveral(words)) return v1::ANSWER_KIND_UNSPECIFIED;
  if (AsksGroups(words)) return v1::TABLE;
  if (top.found && top.count > 1) return v1::ANSWER_KIND_UNSPECIFIED;  // a list of labels, or a table with their figures
  if (words.StartsWith({"how", "many"})) return v1::INTEGER;
  if (words.StartsWith({"list", "the"}) || words.StartsWith({"list", "all"}) || words.StartsWith({"list", "distinct"}))
    return v1::LIST;
  if (words.StartsWith({"when"}) || words.StartsWith({"what", "date"}) || words.StartsWith({"which", "date"}) ||
      words.StartsWith({"on", "which", "date"}) || words.StartsWith({"on", "what", "date"})) {
    return v1::DATE;
  }
  if (percent) return v1::NUMBER;
  // "which month" may be a date or a name; "which are", "which customers" may be many.
  static constexpr std::array<std::string_view, 9> kPeriods = {"month", "year",    "day",  "week", "quarter",
                                                               "are",   "weekday", "hour", "two"};
  const std::string_view what = words.at(1);
  const bool singular = !what.ends_with("s") || what.ends_with("ss");
  if (words.StartsWith({"which"}) && singular && std::find(kPeriods.begin(), kPeriods.end(), what) == kPeriods.end()) {
    return v1::TEXT;
  }
  if (AsksYesOrNo(words)) return v1::BOOLEAN;
  const bool one_measure = words.HasAny(kSingleMeasures);
  const bool asks_value = words.StartsWith({"what", "is"}) || words.StartsWith({"what", "was"}) || one_measure;
  if (asks_value && one_measure && !words.Has("matrix") && !words.Has("each")) return v1::NUMBER;
  return v1::ANSWER_KIND_UNSPECIFIED;
}

}  // namespace

v1::Expectation ExpectationFromQuestion(std::string_view question) {
  const QuestionWords words(question);
  v1::Expectation expectation;
  if (words.size() == 0) return expectation;
  const bool percent = AsksPercent(words);
  const TopWords top = TopAsked(words);
  expectation.set_kind(KindAsked(words, percent, top));
  if (const std::optional<int> decimals = DecimalsAsked(words)) expectation.set_decimals(*decimals);
  if (percent) expectation.set_unit("percent");
  if (top.found) expectation.set_top_n(top.count);
  if (AsksOrder(words) || (top.found && top.count > 1)) expectation.set_ordered(true);
  return expectation;
}

}  // namespace conclave
