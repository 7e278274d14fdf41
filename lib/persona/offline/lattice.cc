#include "lib/persona/offline/lattice.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace conclave::offline {
namespace {

std::vector<Word> Span(const std::vector<Word>& words, size_t at, size_t length) {
  return {words.begin() + static_cast<ptrdiff_t>(at), words.begin() + static_cast<ptrdiff_t>(at + length)};
}

std::string RawSpan(const std::vector<Word>& words, size_t at, size_t length) {
  std::vector<std::string> raw;
  for (size_t i = at; i < at + length; ++i) raw.push_back(words[i].raw);
  return absl::StrJoin(raw, " ");
}

bool IsSureName(const Edge& edge) {
  return (edge.kind == EdgeKind::kColumn || edge.kind == EdgeKind::kValue) && edge.fit <= Fit::kNumberForm;
}

}  // namespace

Lattice::Lattice(std::vector<Word> words, const Catalog& catalog)
    : words_(std::move(words)), edges_(words_.size()), stop_(words_.size()) {
  for (size_t at = 0; at < words_.size(); ++at) {
    // A capital inside a question is a name or a literal: "starting with A".
    const bool capital = at > 0 && words_[at].raw.size() == 1 && words_[at].raw != words_[at].folded;
    stop_[at] = words_[at].kind == WordKind::kWord && IsStopWord(words_[at].folded) && !capital;
    for (size_t length = 1; length <= kLongestPhrase && at + length <= words_.size(); ++length) {
      AddNames(at, length, catalog);
      AddKeywords(at, length);
    }
    AddLiterals(at);
  }
  Resolve();
}

void Lattice::AddNames(size_t at, size_t length, const Catalog& catalog) {
  const std::vector<Word> span = Span(words_, at, length);
  const std::string raw = RawSpan(words_, at, length);
  if (length == 1 && stop_[at] && words_[at].raw == words_[at].folded) return;
  for (const ColumnFit& fit : catalog.Columns(span)) {
    Edge edge{.kind = EdgeKind::kColumn, .length = length, .column = fit.column, .fit = fit.fit};
    if (fit.fit >= Fit::kEveryday) edge.assumption = absl::StrCat("\"", raw, "\" is the column `", fit.column->name(), "`");
    edges_[at].push_back(std::move(edge));
  }
  for (const ValueFit& fit : catalog.Values(span)) {
    Edge edge{.kind = EdgeKind::kValue, .length = length, .column = fit.column, .fit = fit.fit, .text = fit.value};
    edge.assumption = absl::StrCat("\"", raw, "\" means `", fit.column->name(), "` is '", fit.value, "'");
    edges_[at].push_back(std::move(edge));
  }
  std::string assumption;
  if (catalog.NamesRows(span, &assumption)) {
    edges_[at].push_back({.kind = EdgeKind::kRows, .length = length, .assumption = std::move(assumption)});
  }
  if (catalog.NamesTable(span)) {
    edges_[at].push_back({.kind = EdgeKind::kKeyword, .length = length, .phrase = PhrasesOf("table")[0]});
  }
}

void Lattice::AddKeywords(size_t at, size_t length) {
  std::vector<std::string> folded;
  for (size_t i = at; i < at + length; ++i) {
    if (words_[i].kind != WordKind::kWord && words_[i].kind != WordKind::kSymbol) return;
    folded.push_back(words_[i].folded);
  }
  for (const Phrase* phrase : PhrasesOf(absl::StrJoin(folded, " "))) {
    const EdgeKind kind = phrase->keyword == Keyword::kRowNoun ? EdgeKind::kRows : EdgeKind::kKeyword;
    edges_[at].push_back({.kind = kind, .length = length, .phrase = phrase});
  }
}

void Lattice::AddLiterals(size_t at) {
  const Word& word = words_[at];
  if (word.kind == WordKind::kNumber) edges_[at].push_back({.kind = EdgeKind::kNumber, .text = word.folded});
  if (at + 1 < words_.size()) {
    const Word& next = words_[at + 1];
    const auto currency = [](const Word& sign) { return sign.kind == WordKind::kSymbol && CurrencyLength(sign.raw) > 0; };
    const bool percent = next.folded == "%" || next.folded == "percent";
    if (word.kind == WordKind::kNumber && (percent || currency(next)))
      edges_[at].push_back(
          {.kind = EdgeKind::kMeasured, .length = 2, .text = word.folded, .unit = percent ? "percent" : next.raw});
    if (next.kind == WordKind::kNumber && currency(word))
      edges_[at].push_back({.kind = EdgeKind::kMeasured, .length = 2, .text = next.folded, .unit = word.raw});
  }
  if (const auto ordinal = Ordinal(word.folded)) edges_[at].push_back({.kind = EdgeKind::kOrdinal, .text = *ordinal});
  if (word.kind == WordKind::kDate) edges_[at].push_back({.kind = EdgeKind::kDate, .text = word.folded});
  if (word.kind == WordKind::kWord) {
    if (const auto number = NumberWord(word.folded)) edges_[at].push_back({.kind = EdgeKind::kNumber, .text = *number});
  }
  if (word.kind != WordKind::kSymbol) edges_[at].push_back({.kind = EdgeKind::kLiteral, .text = word.raw});
}

// A longer sure name hides what its words could mean one by one: "total sales" is the column `total_sales`, not a total.
void Lattice::DropInside(size_t at, size_t length) {
  for (size_t i = at; i < at + length; ++i) {
    std::erase_if(edges_[i], [&](const Edge& edge) {
      return edge.kind != EdgeKind::kLiteral && edge.length < length && i + edge.length <= at + length;
    });
  }
}

void Lattice::Resolve() {
  for (size_t at = 0; at < edges_.size(); ++at) {
    size_t longest = 1;
    for (const Edge& edge : edges_[at]) {
      if (IsSureName(edge)) longest = std::max(longest, edge.length);
    }
    if (longest > 1) DropInside(at, longest);
    for (size_t length = 1; length <= longest; ++length) {
      const auto any = [&](auto predicate) {
        return std::any_of(edges_[at].begin(), edges_[at].end(),
                           [&](const Edge& e) { return e.length == length && predicate(e); });
      };
      const bool sure_value = any([](const Edge& e) { return e.kind == EdgeKind::kValue && e.fit <= Fit::kNumberForm; });
      const bool sure_column = any([](const Edge& e) { return e.kind == EdgeKind::kColumn && e.fit <= Fit::kNumberForm; });
      const auto named = std::find_if(edges_[at].begin(), edges_[at].end(), [&](const Edge& e) {
        return e.length == length && e.kind == EdgeKind::kColumn && e.fit <= Fit::kFolded;
      });
      const v1::ColumnProfile* name = named == edges_[at].end() ? nullptr : named->column;
      for (Edge& edge : edges_[at]) {
        if (edge.length == length && edge.kind == EdgeKind::kValue) edge.shadowed_by = name;
      }
      const bool date_part =
          any([](const Edge& e) { return e.kind == EdgeKind::kKeyword && e.phrase->keyword == Keyword::kDatePart; });
      const bool date_column = any([](const Edge& e) { return e.kind == EdgeKind::kColumn && HoldsDates(e.column->type()); });
      std::erase_if(edges_[at], [&](const Edge& e) {
        if (e.length != length) return false;
        // A known value beats a part of a column's name, and a whole name beats a value.
        if (sure_value && e.kind == EdgeKind::kColumn && e.fit >= Fit::kPartial) return true;
        // "year" is the column `year` when that holds numbers, and the year of `Year` when that holds dates; "date" is `date`.
        if (!date_part || !sure_column) return false;
        const bool part = e.kind == EdgeKind::kKeyword && e.phrase->keyword == Keyword::kDatePart;
        const bool as_part = date_column && words_[at].folded != "date" && words_[at].folded != "day";
        return as_part ? e.kind == EdgeKind::kColumn && HoldsDates(e.column->type()) : part;
      });
    }
  }
}

bool Lattice::IsFree(size_t position) const {
  if (stop_[position]) return false;
  return std::none_of(edges_[position].begin(), edges_[position].end(), [](const Edge& edge) {
    return edge.length == 1 && (edge.kind == EdgeKind::kKeyword || edge.kind == EdgeKind::kRows);
  });
}

std::vector<std::string> Lattice::UnknownWords() const {
  std::vector<bool> known(words_.size());
  for (size_t at = 0; at < words_.size(); ++at) {
    if (stop_[at]) known[at] = true;
    for (const Edge& edge : edges_[at]) {
      if (edge.kind == EdgeKind::kLiteral) continue;
      for (size_t i = at; i < at + edge.length; ++i) known[i] = true;
    }
    if (words_[at].kind == WordKind::kQuoted) known[at] = true;
  }
  std::vector<std::string> result;
  for (size_t at = 0; at < words_.size(); ++at) {
    if (!known[at]) result.push_back(words_[at].raw);
  }
  return result;
}

std::string Lattice::Text(size_t from, size_t to) const { return RawSpan(words_, from, std::min(to, words_.size()) - from); }

}  // namespace conclave::offline
