#include "lib/persona/offline/reader.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/text.h"
#include "lib/persona/offline/catalog.h"
#include "lib/persona/offline/finish.h"
#include "lib/persona/offline/grammar/grammar.h"
#include "lib/persona/offline/lattice.h"
#include "lib/plan/describe.h"

namespace conclave::offline {
namespace {

// The most words of a question that is still read; longer ones hold more than one question.
constexpr size_t kMostWords = 60;

std::string QuotedWords(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(absl::StrCat("\"", Excerpt(word, 60), "\""));
  return absl::StrJoin(quoted, ", ");
}

void AddUnique(std::vector<std::string>* to, const std::vector<std::string>& from) {
  for (const std::string& item : from) {
    if (std::find(to->begin(), to->end(), item) == to->end()) to->push_back(item);
  }
}

// Spellings of one value are one suggestion: it is read without regard to case and blanks at its ends.
Reading Declined(std::string reason, std::vector<std::string> words = {}, const std::vector<std::string>& suggestions = {}) {
  Reading reading;
  reading.decline = Decline{std::move(reason), std::move(words), {}};
  std::vector<std::string>& kept = reading.decline->suggestions;
  for (const std::string& suggestion : suggestions) {
    const bool known =
        std::any_of(kept.begin(), kept.end(), [&](const std::string& other) { return IsSameValue(other, suggestion); });
    if (!known) kept.push_back(suggestion);
  }
  return reading;
}

std::vector<std::string> NumericNames(const Catalog& catalog) {
  std::vector<std::string> names;
  for (const v1::ColumnProfile* column : catalog.NumericColumns()) names.push_back(column->name());
  return names;
}

// A word that shows what kind of question this is, when that kind is out of reach.
std::optional<Reading> BeyondThis(const Lattice& lattice, const Catalog& catalog, const std::vector<std::string>& unknown) {
  for (const Word& word : lattice.words()) {
    const Beyond beyond = BeyondReach(word.folded);
    if (beyond.reason.empty() || word.kind != WordKind::kWord) continue;
    std::vector<std::string> words = unknown;
    AddUnique(&words, {word.raw});
    std::vector<std::string> ways = {std::string(beyond.way_on)};
    if (beyond.way_on.empty()) {
      for (const std::string& name : NumericNames(catalog)) ways.push_back(absl::StrCat("highest ", name));
      std::erase(ways, "");
    }
    return Declined(absl::StrCat(std::string(beyond.reason), " (\"", word.raw, "\")"), words, ways);
  }
  return std::nullopt;
}

Reading DeclinedForWords(const Lattice& lattice, const Catalog& catalog, const std::vector<std::string>& unknown) {
  std::vector<std::string> suggestions;
  std::vector<std::string> values;
  for (const Word& word : lattice.words()) {
    if (std::find(unknown.begin(), unknown.end(), word.raw) != unknown.end()) AddUnique(&values, catalog.PerhapsValues(word));
  }
  for (const std::string& word : unknown) AddUnique(&suggestions, catalog.CloseTo(word));
  if (values.size() > 5) values.resize(5);
  std::string way_on;
  if (!values.empty()) {
    way_on =
        absl::StrCat("; a value that is not among the most frequent of its column is named with it and in quotes: ", values[0]);
  } else if (suggestions.empty()) {
    suggestions = NumericNames(catalog);
  }
  AddUnique(&suggestions, values);
  const std::string lead = unknown.size() == 1 ? "this word of the question is" : "these words of the question are";
  return Declined(absl::StrCat(lead, " not accounted for: ", QuotedWords(unknown), way_on), unknown, suggestions);
}

Reading DeclinedForLeftover(const Lattice& lattice, const Catalog& catalog, size_t furthest) {
  if (furthest >= lattice.size()) {
    std::vector<std::string> unread;
    for (const Word& word : lattice.words()) AddUnique(&unread, {word.raw});
    return Declined(
        absl::StrCat("the question seems unfinished: it does not say what to compute, or over which column; read so far: \"",
                     Excerpt(lattice.Text(0, lattice.size()), 120), "\""),
        unread, NumericNames(catalog));
  }
  const std::string read = lattice.Text(0, furthest);
  std::vector<std::string> words;
  for (size_t at = furthest; at < lattice.size(); ++at) words.push_back(lattice.words()[at].raw);
  const std::string where = read.empty() ? "" : absl::StrCat(" after \"", Excerpt(read, 120), "\"");
  return Declined(absl::StrCat("the question could not be read as a whole; left over", where, ": \"",
                               Excerpt(lattice.Text(furthest, lattice.size()), 120), "\""),
                  words, {});
}

// A column that looks like dates but could not be read as such.
const v1::ColumnProfile* UnreadDates(const v1::Profile& profile, std::string* why) {
  for (const v1::ColumnProfile& column : profile.columns()) {
    *why = WhyNotDates(column);
    if (!why->empty()) return &column;
  }
  return nullptr;
}

// True when the words need a date: a date, a month by its name, a part of a date, "first", or the column itself.
bool NeedsDate(const Lattice& lattice, const v1::ColumnProfile& dates) {
  for (size_t at = 0; at < lattice.size(); ++at) {
    for (const Edge& edge : lattice.at(at)) {
      if (edge.kind == EdgeKind::kDate || (edge.kind == EdgeKind::kColumn && edge.column == &dates)) return true;
      if (edge.kind != EdgeKind::kKeyword) continue;
      const Keyword keyword = edge.phrase->keyword;
      if (keyword == Keyword::kDatePart || keyword == Keyword::kMonthName || edge.phrase->of_time) return true;
    }
  }
  return false;
}

// A table without dates, because those it holds could not be read: that is what stands in the way, and what to do.
std::optional<Reading> DeclinedForDates(const Lattice& lattice, const Catalog& catalog, bool needs_dates) {
  std::string why;
  const v1::ColumnProfile* dates = UnreadDates(catalog.profile(), &why);
  if (dates == nullptr || !catalog.DateColumns().empty()) return std::nullopt;
  if (!needs_dates && !NeedsDate(lattice, *dates)) return std::nullopt;
  const std::string name = dates->name();
  return Declined(absl::StrCat("the question needs dates, and `", name, "` could not be read as dates: ", why,
                               ". Write them as 2024-01-31 in the file, and they are read as dates"));
}

// Several readings that mean different things: says where they part.
Reading DeclinedForAmbiguity(const std::vector<std::pair<Sketch, Finished>>& readings) {
  std::map<std::string, std::set<std::string>> meanings;
  for (const auto& [sketch, finished] : readings) {
    for (const auto& [word, meaning] : sketch.picks) meanings[word].insert(meaning);
  }
  for (const auto& [word, choices] : meanings) {
    if (choices.size() < 2) continue;
    const std::vector<std::string> names(choices.begin(), choices.end());
    return Declined(absl::StrCat("\"", Excerpt(word, 60), "\" can mean any of: ", absl::StrJoin(names, ", ")), {word}, names);
  }
  std::vector<std::string> sentences;
  for (const auto& [sketch, finished] : readings) {
    if (sentences.size() < 3) AddUnique(&sentences, {Describe(finished.plan)});
  }
  return Declined(absl::StrCat("the question can be read in more than one way: ", absl::StrJoin(sentences, " Or: ")), {},
                  sentences);
}

// What looks like a date and is none that can be computed with, unless the table holds it as a text.
std::optional<Reading> DeclinedForDates(const Lattice& lattice) {
  std::vector<std::string> words;
  std::vector<std::string> days;
  for (size_t at = 0; at < lattice.size(); ++at) {
    const Word& word = lattice.words()[at];
    const bool value = std::any_of(lattice.at(at).begin(), lattice.at(at).end(),
                                   [](const Edge& edge) { return edge.kind == EdgeKind::kValue; });
    if (word.kind != WordKind::kNoDate || value) continue;
    AddUnique(&words, {word.raw});
    AddUnique(&days, DaysMeantBy(word.raw));
  }
  if (words.empty()) return std::nullopt;
  const std::string what = days.empty() ? "no day of the calendar" : "not a date in the form that is read";
  return Declined(absl::StrCat(QuotedWords(words), words.size() == 1 ? " is " : " are ", what,
                               ": write a date as year-month-day, such as 2024-01-31"),
                  words, days);
}

// "1 234,5" is two words, and no question has two numbers in a row.
std::optional<Reading> DeclinedForSpacedNumber(const Lattice& lattice) {
  for (size_t at = 0; at + 1 < lattice.size(); ++at) {
    const Word& head = lattice.words()[at];
    const Word& tail = lattice.words()[at + 1];
    const bool digits = tail.raw.size() >= 3 && std::all_of(tail.raw.begin(), tail.raw.begin() + 3, absl::ascii_isdigit);
    if (head.kind != WordKind::kNumber || tail.kind != WordKind::kNumber || !digits) continue;
    const std::string whole = head.raw + tail.raw;
    return Declined(absl::StrCat("\"", head.raw, " ", tail.raw, "\" is two numbers; write one number without blanks: ", whole),
                    {head.raw, tail.raw}, {whole});
  }
  return std::nullopt;
}

Reading ReadOne(const std::vector<Word>& words, const v1::Profile& profile, const std::string& time_zone) {
  const Catalog catalog(profile, time_zone);
  const Lattice lattice(words, catalog);
  if (std::optional<Reading> dates = DeclinedForDates(lattice)) return *dates;
  Grammar grammar(lattice, catalog);
  std::vector<std::pair<Sketch, Finished>> good;
  std::optional<Finished> bad;
  for (Sketch& sketch : grammar.Parse()) {
    Finished finished = FinishSketch(sketch, catalog);
    if (!finished.problem.empty()) {
      if (!bad) bad = std::move(finished);
      continue;
    }
    const bool known =
        std::any_of(good.begin(), good.end(), [&](const auto& other) { return other.second.plan == finished.plan; });
    if (!known) good.emplace_back(std::move(sketch), std::move(finished));
  }
  const std::vector<std::string> unknown = lattice.UnknownWords();
  if (good.size() == 1) {
    Reading reading;
    reading.plan = std::move(good[0].second.plan);
    reading.assumptions = std::move(good[0].second.assumptions);
    reading.notes = std::move(good[0].second.notes);
    reading.spellings = std::move(good[0].second.spellings);
    return reading;
  }
  if (good.size() > 1) return DeclinedForAmbiguity(good);
  if (std::optional<Reading> dates = DeclinedForDates(lattice, catalog, bad && bad->needs_dates)) return *dates;
  if (bad) return Declined(bad->problem, unknown, bad->suggestions);
  if (std::optional<Reading> beyond = BeyondThis(lattice, catalog, unknown)) return *beyond;
  if (!unknown.empty()) return DeclinedForWords(lattice, catalog, unknown);
  if (std::optional<Reading> spaced = DeclinedForSpacedNumber(lattice)) return *spaced;
  return DeclinedForLeftover(lattice, catalog, grammar.furthest());
}

}  // namespace

Reading ReadQuestion(std::string_view question, const std::vector<v1::Profile>& profiles, const std::string& time_zone) {
  if (!IsValidUtf8(question)) return Declined("the question is not valid UTF-8 text");
  if (profiles.empty()) return Declined("there is no table to ask about");
  const std::vector<Word> words = SplitWords(question);
  if (words.empty()) return Declined("the question is empty");
  if (words.size() > kMostWords) {
    return Declined(absl::StrCat("the question has ", words.size(), " words, and more than ", kMostWords,
                                 " are not read; ask one thing at a time"));
  }
  if (profiles.size() == 1) return ReadOne(words, profiles[0], time_zone);

  std::vector<Reading> readings;
  std::vector<std::string> fitting;
  std::vector<std::string> tables;
  for (const v1::Profile& profile : profiles) {
    tables.push_back(profile.name());
    Reading reading = ReadOne(words, profile, time_zone);
    if (reading.plan) fitting.push_back(profile.name());
    readings.push_back(std::move(reading));
  }
  if (fitting.size() == 1) {
    for (Reading& reading : readings) {
      if (!reading.plan) continue;
      reading.assumptions.push_back(
          absl::StrCat("the question is about the table `", reading.plan->table, "`, the only one it fits"));
      return reading;
    }
  }
  if (fitting.size() > 1)
    return Declined(absl::StrCat("the question fits several tables: ", absl::StrJoin(fitting, ", ")), {}, fitting);
  // What no table can account for.
  std::vector<std::string> words_left = readings[0].decline->not_understood;
  std::vector<std::string> suggestions;
  for (const Reading& reading : readings) {
    std::erase_if(words_left, [&](const std::string& word) {
      const auto& other = reading.decline->not_understood;
      return std::find(other.begin(), other.end(), word) == other.end();
    });
    AddUnique(&suggestions, reading.decline->suggestions);
  }
  return Declined(absl::StrCat("the question fits no single one of the tables ", absl::StrJoin(tables, ", "),
                               "; about the first: ", readings[0].decline->reason),
                  words_left, suggestions);
}

}  // namespace conclave::offline
