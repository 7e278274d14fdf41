#include "lib/persona/offline/catalog.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/text.h"
#include "lib/persona/offline/lexicon.h"

namespace conclave::offline {
namespace {

using Names = std::vector<std::string>;

Names QueryWords(const std::vector<Word>& words) {
  Names result;
  for (const Word& word : words) {
    for (std::string& part : NameWords(word.raw)) result.push_back(std::move(part));
  }
  return result;
}

std::string Joined(const Names& words) { return absl::StrJoin(words, ""); }

std::string JoinedSingular(Names words) {
  if (!words.empty()) words.back() = Singular(words.back());
  return Joined(words);
}

Names EverydayWords(const Names& words) {
  Names result;
  for (const std::string& word : words) result.emplace_back(Everyday(Singular(word)));
  return result;
}

bool SameWords(Names a, Names b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

bool IsIdentifierWord(std::string_view word) {
  return word == "id" || word == "name" || word == "code" || word == "num" || word == "key" || word == "label";
}

bool EndsWithWords(const Names& whole, const Names& end) {
  return end.size() < whole.size() && std::equal(end.rbegin(), end.rend(), whole.rbegin());
}

bool IsDigits(std::string_view word) { return std::all_of(word.begin(), word.end(), absl::ascii_isdigit); }

// "price" names `unit_price`, "customer" names `customer_id`, "class" names `Pclass`.
bool IsPartOf(const Names& query, const Names& column) {
  const Names part = EverydayWords(query);
  Names whole = EverydayWords(column);
  if (EndsWithWords(whole, part)) return true;
  if (whole.size() > 1 && IsIdentifierWord(whole.back())) {
    whole.pop_back();
    if (whole == part || EndsWithWords(whole, part)) return true;
  }
  return part.size() == 1 && whole.size() == 1 && part[0].size() >= 4 && whole[0].size() == part[0].size() + 1 &&
         whole[0].ends_with(part[0]);
}

// "airline" names `Aircraft Airline Operator`.
bool IsInside(const Names& query, const Names& column) {
  return query.size() == 1 && query[0].size() >= 4 && column.size() > 1 &&
         std::any_of(column.begin(), column.end(),
                     [&](const std::string& word) { return Singular(word) == Singular(query[0]) && !IsDigits(word); });
}

// "survive", "surviving", "survivors" for a column `survived` that says yes or no.
bool IsVerbFormOf(const Names& query, const Names& column) {
  if (query.size() != 1 || column.size() != 1) return false;
  const auto stem = [](std::string word) {
    for (std::string_view ending : {"ors", "ers", "ing", "or", "er", "ed", "es", "e", "d", "s"}) {
      if (word.size() > ending.size() + 3 && word.ends_with(ending)) return word.substr(0, word.size() - ending.size());
    }
    return word;
  };
  return stem(query[0]) == stem(column[0]);
}

// "mpg" for `Miles_per_Gallon`.
std::string Initials(const Names& words) {
  std::string result;
  for (const std::string& word : words) result += word[0];
  return result;
}

std::optional<Fit> FitOfName(const std::vector<Word>& words, const Names& query, std::string_view name) {
  if (words.size() == 1 && words[0].raw == name) return Fit::kExact;
  const Names column = NameWords(name);
  if (column.empty() || query.empty()) return std::nullopt;
  if (Joined(query) == Joined(column)) return Fit::kFolded;
  if (JoinedSingular(query) == JoinedSingular(column)) return Fit::kNumberForm;
  if (SameWords(EverydayWords(query), EverydayWords(column))) return Fit::kEveryday;
  if (query.size() == 1 && column.size() >= 3 && query[0] == Initials(column)) return Fit::kEveryday;
  return std::nullopt;
}

std::optional<Fit> FitOfColumn(const std::vector<Word>& words, const Names& query, const v1::ColumnProfile& column) {
  std::optional<Fit> fit = FitOfName(words, query, column.name());
  if (!column.label().empty() && column.label() != column.name()) {
    std::optional<Fit> by_label = FitOfName(words, query, column.label());
    // In quotes a name is that of one column: `a` is not the second `a` of the file, which is called `a_2`.
    if (by_label == Fit::kExact && words[0].kind == WordKind::kQuoted) by_label = Fit::kFolded;
    if (by_label && (!fit || *by_label < *fit)) fit = by_label;
  }
  if (fit || words[0].kind == WordKind::kQuoted) return fit;
  const Names names = NameWords(column.name());
  if (AsYesNo(column) && IsVerbFormOf(query, names)) return Fit::kVerbForm;
  // A word with a meaning of its own ("total") is not taken for a part of a name (`sales_total`).
  const bool keyword = words.size() == 1 && (!PhrasesOf(words[0].folded).empty() || IsStopWord(words[0].folded));
  if (!keyword && IsPartOf(query, names)) return Fit::kPartial;
  if (!keyword && IsInside(query, names)) return Fit::kInside;
  return std::nullopt;
}

std::string PlainText(std::string_view text) {
  std::string result;
  for (char c : FoldCase(text)) {
    const bool letter = absl::ascii_isalnum(static_cast<unsigned char>(c)) || (c & 0x80) != 0;
    if (letter) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

// A name with signs in it, such as `Cost Total $`, as the words of a question spell it: without spaces and without the marks
// that are dropped from questions.
std::string Spelled(std::string_view text) {
  std::string result = FoldCase(text);
  std::erase_if(result, [](char c) { return std::string_view(" ?():'\"`").find(c) != std::string_view::npos; });
  return result;
}

std::string RawText(const std::vector<Word>& words) {
  Names parts;
  for (const Word& word : words) parts.push_back(word.raw);
  return absl::StrJoin(parts, " ");
}

bool NamesSex(const v1::ColumnProfile& column) {
  for (const std::string& word : NameWords(column.name())) {
    if (Everyday(word) == "sex") return true;
  }
  return false;
}

std::optional<Fit> FitOfValue(const std::vector<Word>& words, const v1::ColumnProfile& column, const std::string& value) {
  const std::string raw = RawText(words);
  if (raw == value) return Fit::kExact;
  if (words[0].kind == WordKind::kQuoted) return IsSameValue(raw, value) ? std::optional(Fit::kFolded) : std::nullopt;
  const std::string query = PlainText(raw);
  const std::string plain = PlainText(value);
  if (query.empty() || plain.empty()) return std::nullopt;
  if (plain.size() > 2) {
    if (query == plain) return Fit::kFolded;
    if (Singular(query) == plain || query == Singular(plain)) return Fit::kNumberForm;
  }
  if (words.size() == 1 && query.size() > 1 && !SexOf(query).empty() && SexOf(query) == SexOf(plain) &&
      (plain.size() > 2 || NamesSex(column))) {
    return Fit::kEveryday;
  }
  return std::nullopt;
}

std::vector<std::string> CloseValues(const v1::ColumnProfile& column, std::string_view word) {
  std::vector<std::pair<size_t, std::string>> ranked;
  const std::string query = PlainText(word);
  for (const v1::TopValue& top : column.top()) {
    const std::string text = ValueText(top.value());
    const size_t distance = EditDistance(query, PlainText(text), 3);
    ranked.emplace_back(distance, text);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> result;
  for (const auto& [distance, text] : ranked) {
    if (result.size() < 5) result.push_back(text);
  }
  return result;
}

// How a value is looked for that the profile does not name: with its column and in quotes.
std::string InQuotes(const v1::ColumnProfile& column, const std::string& value) {
  return absl::StrCat("where ", column.name(), " is \"", value, "\"");
}

LiteralFit TextLiteral(const v1::ColumnProfile& column, const Word& word) {
  LiteralFit fit;
  Fit best = Fit::kPartial;
  std::vector<std::string> found;
  for (const v1::TopValue& top : column.top()) {
    if (top.value().kind_case() != v1::Value::kText) continue;
    const std::string& value = top.value().text();
    std::optional<Fit> value_fit = FitOfValue({word}, column, value);
    if (!value_fit && IsSameValue(word.raw, value)) value_fit = Fit::kFolded;
    if (!value_fit || *value_fit > best) continue;
    if (*value_fit < best) found.clear();
    best = *value_fit;
    if (found.empty() || !IsSameValue(found[0], value)) found.push_back(value);
  }
  if (found.size() == 1) {
    fit.literal = Literal{LiteralKind::kText, found[0]};
    if (found[0] != word.raw)
      fit.assumption = absl::StrCat("\"", word.raw, "\" is the value '", found[0], "' of `", column.name(), "`");
  } else if (found.size() > 1) {
    fit.problem = absl::StrCat("\"", word.raw, "\" fits several values of `", column.name(), "`");
    fit.suggestions = found;
  } else if (KnowsAllValues(column)) {
    fit.problem = absl::StrCat("no value \"", word.raw, "\" occurs in `", column.name(), "`");
    fit.suggestions = CloseValues(column, word.raw);
  } else if (word.kind == WordKind::kQuoted || column.identifier()) {
    fit.literal = Literal{LiteralKind::kText, word.raw};
    fit.assumption = absl::StrCat("'", word.raw, "' is looked for in `", column.name(),
                                  "` as it is, because it is not among its most frequent values");
  } else {
    const std::string why = WhyText(column);
    const bool number = word.kind == WordKind::kNumber || word.kind == WordKind::kDate;
    fit.problem = absl::StrCat(
        "`", column.name(), "` holds text", why.empty() ? "" : absl::StrCat(" (", why, ")"), ", and ",
        number ? absl::StrCat(word.raw, " is ") : absl::StrCat("\"", word.raw, "\" is "),
        "not among its most frequent values; to look for it all the same, write it in quotes: ", InQuotes(column, word.raw));
    fit.suggestions = CloseValues(column, word.raw);
    fit.suggestions.insert(fit.suggestions.begin(), InQuotes(column, word.raw));
  }
  return fit;
}

LiteralFit NumericLiteral(const v1::ColumnProfile& column, const Word& word) {
  LiteralFit fit;
  const std::optional<std::string> spelled = NumberWord(word.folded);
  if (word.kind != WordKind::kNumber && !spelled) {
    fit.problem = absl::StrCat("`", column.name(), "` holds numbers, and \"", word.raw, "\" is none");
    return fit;
  }
  // As written: the condition reads it the way its column is written.
  fit.literal = Literal{LiteralKind::kNumber, spelled ? *spelled : word.raw};
  return fit;
}

LiteralFit YesNoLiteral(const v1::ColumnProfile& column, const Word& word) {
  LiteralFit fit;
  const bool yes = word.folded == "true" || word.folded == "yes" || word.folded == "1";
  const bool no = word.folded == "false" || word.folded == "no" || word.folded == "0";
  if (!yes && !no) {
    fit.problem = absl::StrCat("`", column.name(), "` holds true and false, and \"", word.raw, "\" is neither");
    return fit;
  }
  fit.literal = Literal{LiteralKind::kNumber, yes ? "1" : "0"};
  return fit;
}

}  // namespace

Catalog::Catalog(const v1::Profile& profile, std::string time_zone) : profile_(profile), time_zone_(std::move(time_zone)) {}

Column Catalog::PlanColumn(const v1::ColumnProfile& column) const {
  return {column.name(), column.type(), column.nulls() > 0, time_zone_};
}

std::vector<ColumnFit> Catalog::Columns(const std::vector<Word>& words) const {
  std::vector<ColumnFit> result;
  bool signs = false;
  for (const Word& word : words) {
    if (word.kind == WordKind::kQuoted && words.size() > 1) return result;
    signs = signs || word.kind == WordKind::kSymbol;
  }
  const Names query = QueryWords(words);
  // A name without a letter or digit, such as `*`, is named in quotes.
  const bool signs_in_quotes = query.empty() && words[0].kind == WordKind::kQuoted;
  if (query.empty() && !signs_in_quotes) return result;
  for (const v1::ColumnProfile& column : profile_.columns()) {
    std::optional<Fit> fit;
    if (signs_in_quotes) {
      if (words[0].raw == column.name()) fit = Fit::kExact;
    } else if (!signs) {
      fit = FitOfColumn(words, query, column);
    } else if (Spelled(RawText(words)) == Spelled(column.name())) {
      fit = Fit::kFolded;
    }
    if (!fit) continue;
    if (!result.empty() && result[0].fit < *fit) continue;
    if (!result.empty() && *fit < result[0].fit) result.clear();
    result.push_back({&column, *fit});
  }
  return result;
}

std::vector<ValueFit> Catalog::Values(const std::vector<Word>& words) const {
  std::vector<ValueFit> result;
  const auto add = [&](const v1::ColumnProfile& column, const std::string& value, Fit fit) {
    // Case decides between values of one column, not between columns.
    const auto level = [](Fit f) { return f == Fit::kExact ? Fit::kFolded : f; };
    if (!result.empty() && level(result[0].fit) < level(fit)) return;
    if (!result.empty() && level(fit) < level(result[0].fit)) result.clear();
    for (ValueFit& other : result) {
      if (other.column != &column) continue;
      if (other.fit == fit && IsSameValue(other.value, value)) return;
      if (other.fit < fit) return;
      if (fit < other.fit) {
        other = {&column, value, fit};
        return;
      }
    }
    result.push_back({&column, value, fit});
  };
  for (const Word& word : words) {
    if (word.kind == WordKind::kSymbol) return result;
  }
  for (const v1::ColumnProfile& column : profile_.columns()) {
    for (const v1::TopValue& top : column.top()) {
      if (top.value().kind_case() != v1::Value::kText) continue;
      if (const std::optional<Fit> fit = FitOfValue(words, column, top.value().text())) add(column, top.value().text(), *fit);
    }
  }
  return result;
}

bool Catalog::NamesRows(const std::vector<Word>& words, std::string* assumption) const {
  assumption->clear();
  for (const Word& word : words) {
    if (word.kind != WordKind::kWord) return false;
  }
  const std::vector<ColumnFit> columns = Columns(words);
  if (!columns.empty() && columns[0].fit <= Fit::kNumberForm) return false;
  const Names query = QueryWords(words);
  Names table = NameWords(profile_.name());
  while (!table.empty() && IsDigits(table.back())) table.pop_back();
  if (!table.empty() && JoinedSingular(query) == JoinedSingular(table)) return true;
  for (const v1::ColumnProfile& column : profile_.columns()) {
    Names names = NameWords(column.name());
    if (names.size() < 2 || names.back() != "id" || !IsUniquePerRow(column, profile_)) continue;
    names.pop_back();
    if (JoinedSingular(query) == JoinedSingular(names)) {
      *assumption =
          absl::StrCat("each row is one ", absl::StrJoin(names, " "), ", because `", column.name(), "` differs in every row");
      return true;
    }
  }
  if (words.size() != 1 || !columns.empty()) return false;
  const std::string& word = words[0].folded;
  // "strikes" for the rows of `birdstrikes`; short words are too often a part of another one by chance.
  const std::string one = Singular(word);
  if (!table.empty() && one.size() >= 5 && Singular(table.back()).ends_with(one)) {
    *assumption = absl::StrCat("each row is one ", one);
    return true;
  }
  if (word == "days" || word == "dates") {
    const std::vector<const v1::ColumnProfile*> dates = DateColumns();
    if (dates.size() != 1 || dates[0]->type() != v1::COLUMN_DATE || !IsUniquePerRow(*dates[0], profile_)) return false;
    *assumption = absl::StrCat("each row is one day, because `", dates[0]->name(), "` differs in every row");
    return true;
  }
  if (!IsPersonNoun(word)) return false;
  for (const v1::ColumnProfile& column : profile_.columns()) {
    for (const std::string& name : NameWords(column.name())) {
      if (Everyday(name) == "sex" || name == "age") {
        *assumption = absl::StrCat("each row is one of the ", word);
        return true;
      }
    }
  }
  return false;
}

bool Catalog::NamesTable(const std::vector<Word>& words) const {
  return Joined(QueryWords(words)) == Joined(NameWords(profile_.name()));
}

LiteralFit Catalog::AsLiteral(const v1::ColumnProfile& column, const Word& word) const {
  if (column.type() == v1::COLUMN_BOOLEAN) return YesNoLiteral(column, word);
  if (IsNumeric(column)) return NumericLiteral(column, word);
  if (HoldsDates(column.type())) {
    LiteralFit fit;
    if (word.kind == WordKind::kDate) {
      fit.literal = Literal{LiteralKind::kDate, word.folded};
    } else {
      fit.problem = absl::StrCat("`", column.name(), "` holds dates, and \"", word.raw, "\" is none (write one as 2024-01-31)");
    }
    return fit;
  }
  return TextLiteral(column, word);
}

std::string Catalog::WhyOtherDates(const v1::ColumnProfile& dates) const {
  const auto is_named_so = [](const v1::ColumnProfile& column) {
    const Names words = NameWords(column.name());
    return std::any_of(words.begin(), words.end(), [](const std::string& word) {
      return word == "date" || word == "time" || word == "day" || word == "datetime" || word == "timestamp";
    });
  };
  bool before = true;
  for (const v1::ColumnProfile& column : profile_.columns()) {
    before = before && &column != &dates;
    const std::string why = WhyNotDates(column);
    if (why.empty() || (!before && !is_named_so(column))) continue;
    return absl::StrCat("the question does not say by which date: `", dates.name(), "` holds dates, and `", column.name(),
                        "` would, but could not be read as dates: ", why, ". Name `", dates.name(),
                        "` if that is meant, or mend `", column.name(), "` in the file");
  }
  return "";
}

std::vector<const v1::ColumnProfile*> Catalog::DateColumns() const {
  std::vector<const v1::ColumnProfile*> result;
  for (const v1::ColumnProfile& column : profile_.columns()) {
    if (HoldsDates(column.type())) result.push_back(&column);
  }
  return result;
}

std::vector<const v1::ColumnProfile*> Catalog::NumericColumns() const {
  std::vector<const v1::ColumnProfile*> result;
  for (const v1::ColumnProfile& column : profile_.columns()) {
    if (IsNumeric(column)) result.push_back(&column);
  }
  return result;
}

std::vector<std::string> Catalog::PerhapsValues(const Word& word) const {
  std::vector<std::string> result;
  if (word.kind != WordKind::kWord && word.kind != WordKind::kNumber) return result;
  for (const v1::ColumnProfile& column : profile_.columns()) {
    if (column.type() != v1::COLUMN_TEXT || KnowsAllValues(column) || !column.has_min() || !column.has_max()) continue;
    if (IsUniquePerRow(column, profile_)) continue;  // prose, or names of rows
    if (FoldCase(column.min().text()) > word.folded || word.folded > FoldCase(column.max().text())) continue;
    result.push_back(InQuotes(column, word.raw));
  }
  return result;
}

std::vector<std::string> Catalog::CloseTo(std::string_view word) const {
  std::vector<std::pair<size_t, std::string>> ranked;
  const std::string query = FoldCase(word);
  if (query.size() < 3) return {};
  const auto consider = [&](const std::string& candidate) {
    size_t best = 9;
    for (const std::string& part : NameWords(candidate)) {
      const size_t bound = query.size() <= 4 ? 1 : 2;
      const size_t distance = EditDistance(query, part, bound);
      if (distance <= bound) best = std::min(best, distance);
      if (part.size() >= 3 && (query.starts_with(part) || part.starts_with(query))) best = std::min<size_t>(best, 3);
      if (Everyday(Singular(part)) == Everyday(Singular(query))) best = 0;
    }
    if (best < 9) ranked.emplace_back(best, candidate);
  };
  for (const v1::ColumnProfile& column : profile_.columns()) {
    consider(column.name());
    if (column.type() != v1::COLUMN_TEXT) continue;
    for (const v1::TopValue& top : column.top()) consider(ValueText(top.value()));
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> result;
  for (const auto& [distance, text] : ranked) {
    if (result.size() < 5 && std::find(result.begin(), result.end(), text) == result.end()) result.push_back(text);
  }
  return result;
}

}  // namespace conclave::offline
