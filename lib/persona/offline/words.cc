#include "lib/persona/offline/words.h"

#include <algorithm>
#include <cctype>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/time/civil_time.h"
#include "lib/base/edit_distance.h"
#include "lib/base/text.h"
#include "lib/persona/offline/numerals.h"

namespace conclave::offline {
namespace {

bool IsWordByte(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Typographic quotes, dashes, signs and spaces as their ASCII counterparts.
std::string Plain(std::string_view text) {
  struct Pair {
    std::string_view from, to;
  };
  static constexpr Pair kPairs[] = {
      {"\xE2\x80\x98", "'"},  {"\xE2\x80\x99", "'"},  {"\xE2\x80\x9C", "\""}, {"\xE2\x80\x9D", "\""}, {"\xC2\xA0", " "},
      {"\xE2\x80\xAF", " "},  {"\xE2\x80\x93", "-"},  {"\xE2\x80\x94", ","},  {"\xE2\x88\x92", "-"},  {"\xC3\x97", "*"},
      {"\xE2\x89\xA5", ">="}, {"\xE2\x89\xA4", "<="}, {"\xE2\x89\xA0", "<>"}};
  std::string result;
  for (size_t i = 0; i < text.size();) {
    bool replaced = false;
    for (const Pair& pair : kPairs) {
      if (text.substr(i, pair.from.size()) == pair.from) {
        result += pair.to;
        i += pair.from.size();
        replaced = true;
        break;
      }
    }
    if (!replaced) result += text[i++];
  }
  return result;
}

// What looks like a date at the start of a text: three groups of digits, one of them four long, and one sign between them.
struct DateForm {
  size_t length = 0;  // 0: there is none
  std::string first, second, third;
  char sign = '-';

  bool iso() const { return sign == '-' && first.size() == 4 && second.size() == 2 && third.size() == 2; }
};

DateForm ReadDateForm(std::string_view text) {
  DateForm form;
  size_t at = 0;
  const auto take = [&](std::string* digits) {
    while (at < text.size() && IsDigit(text[at])) *digits += text[at++];
    return digits->size() == 4 || digits->size() == 1 || digits->size() == 2;
  };
  const auto sign = [&] { return at < text.size() && (text[at] == '-' || text[at] == '/' || text[at] == '.'); };
  if (!take(&form.first) || !sign()) return {};
  form.sign = text[at++];
  if (!take(&form.second) || form.second.size() > 2 || at >= text.size() || text[at] != form.sign) return {};
  ++at;
  if (!take(&form.third) || (form.first.size() == 4) == (form.third.size() == 4)) return {};
  const bool goes_on =
      at + 1 < text.size() && (text[at] == form.sign || text[at] == '.' || text[at] == '/') && IsDigit(text[at + 1]);
  if (goes_on || (at < text.size() && IsWordByte(text[at]))) return {};
  form.length = at;
  return form;
}

// The ISO form of a day; empty where the calendar has no such day.
std::string IsoDay(const std::string& year, const std::string& month, const std::string& day) {
  int y = 0, m = 0, d = 0;
  if (!absl::SimpleAtoi(year, &y) || !absl::SimpleAtoi(month, &m) || !absl::SimpleAtoi(day, &d)) return "";
  const absl::CivilDay civil(y, m, d);
  if (y < 1 || civil.year() != y || civil.month() != m || civil.day() != d) return "";
  return absl::StrFormat("%04d-%02d-%02d", y, m, d);
}

// Length of a number at the start of `text`, or 0. "1,000" is one number, "1, 2" is two; "90th" and "3rd" are no numbers.
size_t NumberLength(std::string_view text) {
  const auto ends = [&](size_t at) {
    return at >= text.size() || !IsWordByte(text[at]) || CurrencyLength(text.substr(at)) > 0;
  };
  if (const size_t whole = NumeralLength(text); whole > 0 && ends(whole)) return whole;
  size_t digits = 0;
  while (digits < text.size() && IsDigit(text[digits])) ++digits;
  return ends(digits) ? digits : 0;
}

bool EndsSentence(std::string_view rest) {
  return std::all_of(rest.begin(), rest.end(),
                     [](char c) { return c == '.' || c == '?' || c == '!' || c == ' ' || c == '\n'; });
}

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(Plain(text)) {}

  std::vector<Word> Split() {
    while (at_ < text_.size()) Step();
    return std::move(words_);
  }

 private:
  void Add(WordKind kind, std::string raw, std::string folded) { words_.push_back({kind, std::move(raw), std::move(folded)}); }

  void Step() {
    const std::string_view rest = std::string_view(text_).substr(at_);
    const char c = rest[0];
    if (absl::ascii_isspace(static_cast<unsigned char>(c)) || c == '?' || c == '(' || c == ')' || c == ':') {
      ++at_;
    } else if ((c == '.' || c == '!') && EndsSentence(rest)) {
      at_ = text_.size();
    } else if ((c == '"' || c == '`' || (c == '\'' && (at_ == 0 || !IsWordByte(text_[at_ - 1])))) && TakeQuoted(rest, c)) {
    } else if (const DateForm date = ReadDateForm(rest); date.length > 0) {
      const std::string raw(rest.substr(0, date.length));
      const bool day = date.iso() && !IsoDay(date.first, date.second, date.third).empty();
      Add(day ? WordKind::kDate : WordKind::kNoDate, raw, raw);
      at_ += date.length;
    } else if (TakeNumber(rest)) {
    } else if (const size_t sign = CurrencyLength(rest); sign > 0) {
      Add(WordKind::kSymbol, std::string(rest.substr(0, sign)), std::string(rest.substr(0, sign)));
      at_ += sign;
    } else if (IsWordByte(c)) {
      TakeWord(rest);
    } else {
      TakeSymbol(rest);
    }
  }

  bool TakeQuoted(std::string_view rest, char quote) {
    const size_t end = rest.find(quote, 1);
    if (end == std::string_view::npos || end == 1) return false;
    const std::string inside(rest.substr(1, end - 1));
    Add(WordKind::kQuoted, inside, inside);
    at_ += end + 1;
    return true;
  }

  bool TakeNumber(std::string_view rest) {
    // A minus belongs to a number where no value stands before it.
    const bool after_value = !words_.empty() && words_.back().kind != WordKind::kSymbol && at_ > 0 && text_[at_ - 1] != ' ';
    const bool minus = rest[0] == '-' && !after_value && rest.size() > 1 && IsDigit(rest[1]);
    const size_t length = NumberLength(minus ? rest.substr(1) : rest);
    if (length == 0) return false;
    const std::string number(rest.substr(0, length + (minus ? 1 : 0)));
    Add(WordKind::kNumber, number, number);
    at_ += number.size();
    return true;
  }

  void TakeWord(std::string_view rest) {
    size_t end = 0;
    while (end < rest.size() && IsWordByte(rest[end])) ++end;
    const std::string raw(rest.substr(0, end));
    at_ += end;
    Add(WordKind::kWord, raw, FoldCase(raw));
    const std::string_view after = std::string_view(text_).substr(at_);
    if (after.starts_with("'s") && (after.size() == 2 || !IsWordByte(after[2]))) {
      const std::string& word = words_.back().folded;
      // "what's" is "what is"; the possessive 's of a noun says nothing.
      if (word == "what" || word == "which" || word == "who") Add(WordKind::kWord, "is", "is");
      at_ += 2;
    } else if (after.starts_with("'t") && words_.back().folded.ends_with("n")) {
      words_.back().folded.pop_back();  // didn't, isn't, wasn't
      Add(WordKind::kWord, "not", "not");
      at_ += 2;
    } else if (after.starts_with("'")) {
      ++at_;
    } else if (after.starts_with("-") && after.size() > 1 && IsWordByte(after[1])) {
      ++at_;
    }
  }

  void TakeSymbol(std::string_view rest) {
    static constexpr std::string_view kDouble[] = {">=", "<=", "<>", "!=", "=="};
    for (std::string_view symbol : kDouble) {
      if (!rest.starts_with(symbol)) continue;
      const std::string folded(symbol == "!=" ? "<>" : symbol == "==" ? "=" : symbol);
      Add(WordKind::kSymbol, std::string(symbol), folded);
      at_ += 2;
      return;
    }
    Add(WordKind::kSymbol, std::string(1, rest[0]), std::string(1, rest[0]));
    ++at_;
  }

  std::string text_;
  size_t at_ = 0;
  std::vector<Word> words_;
};

}  // namespace

std::vector<Word> SplitWords(std::string_view question) { return Splitter(question).Split(); }

std::vector<std::string> DaysMeantBy(std::string_view text) {
  const DateForm form = ReadDateForm(text);
  std::vector<std::string> days;
  const auto add = [&days](std::string day) {
    if (!day.empty() && std::find(days.begin(), days.end(), day) == days.end()) days.push_back(std::move(day));
  };
  if (form.length == 0) return days;
  if (form.first.size() == 4) {
    add(IsoDay(form.first, form.second, form.third));
  } else {
    add(IsoDay(form.third, form.first, form.second));
    add(IsoDay(form.third, form.second, form.first));
  }
  return days;
}

size_t CurrencyLength(std::string_view text) {
  for (const std::string_view sign :
       {"$", "\xE2\x82\xAC", "\xC2\xA3", "\xC2\xA5", "\xE2\x82\xB9", "\xE2\x82\xBD", "\xE2\x82\xA9"}) {
    if (text.starts_with(sign)) return sign.size();
  }
  return 0;
}

std::vector<std::string> NameWords(std::string_view name) {
  std::vector<std::string> words;
  std::string current;
  const auto end = [&] {
    if (!current.empty()) words.push_back(FoldCase(current));
    current.clear();
  };
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (!absl::ascii_isalnum(c) && c < 0x80) {
      end();
      continue;
    }
    const bool hump = absl::ascii_isupper(c) && i > 0 && absl::ascii_islower(static_cast<unsigned char>(name[i - 1]));
    const bool last_of_capitals = absl::ascii_isupper(c) && i > 0 &&
                                  absl::ascii_isupper(static_cast<unsigned char>(name[i - 1])) && i + 1 < name.size() &&
                                  absl::ascii_islower(static_cast<unsigned char>(name[i + 1]));
    if (hump || last_of_capitals) end();
    current += static_cast<char>(c);
  }
  end();
  return words;
}

std::string Singular(std::string_view word) {
  const std::string text(word);
  const auto without = [&](size_t count) { return text.substr(0, text.size() - count); };
  if (text.size() > 4 && text.ends_with("ies")) return without(3) + "y";
  for (std::string_view ending : {"sses", "xes", "zes", "ches", "shes"}) {
    if (text.size() > 4 && text.ends_with(ending)) return without(2);
  }
  if (text.size() > 3 && text.ends_with("s") && !text.ends_with("ss") && !text.ends_with("us") && !text.ends_with("is")) {
    return without(1);
  }
  return text;
}

size_t EditDistance(std::string_view a, std::string_view b, size_t bound) {
  if (a.size() > b.size() + bound || b.size() > a.size() + bound) return bound + 1;
  return std::min(conclave::EditDistance(a, b), bound + 1);
}

}  // namespace conclave::offline
