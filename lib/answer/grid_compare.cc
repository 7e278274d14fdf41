#include "lib/answer/grid_compare.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/answer/text_folding.h"
#include "lib/base/text.h"

namespace conclave {
namespace {

constexpr size_t kNoColumn = std::numeric_limits<size_t>::max();
// Steps and cells that may be spent while looking for the counterparts of renamed columns. Beyond it the tables do not agree: a
// program could otherwise send thousands of look-alike columns.
constexpr size_t kSearchCells = 2'000'000;
constexpr int kMostPairings = 64;

Comparison Apart(std::string reason, std::string difference) {
  return {false, Closeness::kDifferent, std::move(reason), std::move(difference)};
}

// A few facts about a column that agreeing columns share, to tell most others apart without comparing them.
struct Signature {
  size_t missing = 0;
  size_t numbers = 0;
  size_t booleans = 0;
  size_t words = 0;   // texts that start with no digit, sign or mark
  size_t labels = 0;  // order-free sum over folded words
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();
};

Signature SignatureOf(const Grid& grid, size_t column) {
  Signature signature;
  for (const auto& row : grid.rows) {
    const v1::Value& cell = *row[column];
    if (IsMissing(cell)) {
      ++signature.missing;
    } else if (cell.has_boolean()) {
      ++signature.booleans;
    } else if (cell.has_integer() || cell.has_number()) {
      ++signature.numbers;
      const double number =
          Decimal::Parse(cell.has_integer() ? cell.integer() : cell.number()).value_or(Decimal()).approximate();
      signature.lowest = std::min(signature.lowest, number);
      signature.highest = std::max(signature.highest, number);
    } else if (cell.has_text()) {
      const std::string folded = FoldText(cell.text());
      if (folded.empty() || folded[0] < 'a' || folded[0] > 'z') continue;
      ++signature.words;
      signature.labels += std::hash<std::string>()(folded);
    }
  }
  return signature;
}

bool AlmostSame(double x, double y) { return std::fabs(x - y) <= 0.02 * std::max(std::fabs(x), std::fabs(y)) + 1e-6; }

bool MayAgree(const Signature& x, const Signature& y, size_t height, bool same_unit) {
  if (x.missing != y.missing) return false;
  const size_t present = height - x.missing;
  if (x.words == present && y.words == present) return x.labels == y.labels;
  if (same_unit && present > 0 && x.numbers == present && y.numbers == present) {
    return AlmostSame(x.lowest, y.lowest) && AlmostSame(x.highest, y.highest);
  }
  return !(x.words == present && y.numbers == present && present > 0) &&
         !(y.words == present && x.numbers == present && present > 0);
}

class ColumnPairing {
 public:
  ColumnPairing(const Grid& a, const Grid& b, bool ordered, const ComparisonContext& context)
      : a_(a), b_(b), ordered_(ordered), context_(context), pairing_(a.width(), kNoColumn), taken_(b.width(), false) {}

  Comparison Run() {
    PairByName();
    for (size_t i = 0; i < a_.width(); ++i) {
      if (pairing_[i] == kNoColumn) open_.push_back(i);
    }
    if (open_.empty()) return CompareRows(a_, b_, pairing_, ordered_, context_);
    for (size_t i = 0; i < a_.width(); ++i) a_signatures_.push_back(SignatureOf(a_, i));
    for (size_t j = 0; j < b_.width(); ++j) b_signatures_.push_back(SignatureOf(b_, j));
    Search(0);
    return best_;
  }

 private:
  // Names that occur once on each side, exactly or folded, are explicit and win over values.
  void PairByName() {
    for (bool fold : {false, true}) {
      std::map<std::string, std::vector<size_t>> x = Names(a_, fold);
      std::map<std::string, std::vector<size_t>> y = Names(b_, fold);
      for (const auto& [name, places] : x) {
        auto found = y.find(name);
        if (name.empty() || places.size() != 1 || found == y.end() || found->second.size() != 1) continue;
        if (pairing_[places[0]] != kNoColumn || taken_[found->second[0]]) continue;
        pairing_[places[0]] = found->second[0];
        taken_[found->second[0]] = true;
      }
    }
  }

  static std::map<std::string, std::vector<size_t>> Names(const Grid& grid, bool fold) {
    std::map<std::string, std::vector<size_t>> names;
    for (size_t i = 0; i < grid.width(); ++i) names[fold ? FoldText(grid.columns[i]) : grid.columns[i]].push_back(i);
    return names;
  }

  // Pairs open_[next] and those after it by their values; true when the search is over.
  bool Search(size_t next) {
    if (next == open_.size()) {
      Comparison compared = CompareRows(a_, b_, pairing_, ordered_, context_);
      const bool over = compared.agree || ++pairings_ >= kMostPairings;
      if (compared.agree || best_.reason.empty() || best_.reason == "columns") best_ = std::move(compared);
      return over;
    }
    const size_t i = open_[next];
    bool any = false;
    for (size_t j = 0; j < b_.width() && spent_ <= kSearchCells; ++j) {
      ++spent_;
      if (taken_[j] || !MayPair(i, j)) continue;
      any = true;
      pairing_[i] = j;
      taken_[j] = true;
      const bool over = Search(next + 1);
      taken_[j] = false;
      if (over) return true;
      pairing_[i] = kNoColumn;
    }
    if (spent_ > kSearchCells) {
      best_ = Apart("too_complex", "too many columns could be each other's counterparts; give them the same names");
      return true;
    }
    if (!any && best_.reason.empty()) {
      const std::string name = a_.columns[i].empty() ? absl::StrCat("column ", i + 1) : Excerpt(a_.columns[i], 60);
      best_ = Apart("columns", absl::StrCat("no column of the other answer holds the values of ", name));
    }
    return false;
  }

  bool MayPair(size_t i, size_t j) {
    const bool same_unit = a_.claims.unit == b_.claims.unit;
    if (!MayAgree(a_signatures_[i], b_signatures_[j], a_.height(), same_unit)) return false;
    auto [known, added] = may_pair_.emplace(std::make_pair(i, j), false);
    if (!added) return known->second;
    spent_ += a_.height();
    if (spent_ > kSearchCells) return false;
    known->second = CompareRows(Only(a_, i), Only(b_, j), {0}, false, context_).agree;
    return known->second;
  }

  static Grid Only(const Grid& grid, size_t column) {
    Grid only;
    only.claims = grid.claims;
    only.columns = {grid.columns[column]};
    only.rows.reserve(grid.height());
    for (const auto& row : grid.rows) only.rows.push_back({row[column]});
    return only;
  }

  const Grid& a_;
  const Grid& b_;
  const bool ordered_;
  const ComparisonContext& context_;
  std::vector<size_t> pairing_;
  std::vector<bool> taken_;
  std::vector<size_t> open_;
  std::vector<Signature> a_signatures_;
  std::vector<Signature> b_signatures_;
  std::map<std::pair<size_t, size_t>, bool> may_pair_;
  size_t spent_ = 0;
  int pairings_ = 0;
  Comparison best_;
};

// A wide table as the long one it pivots: one row for each key column's cells, other column's name and its cell. Empty cells of
// the pivot stand for rows that are not there. `names` holds the names as values.
Grid Unpivot(const Grid& wide, size_t keys, std::vector<v1::Value>* names) {
  Grid grid;
  grid.claims = wide.claims;
  grid.columns.resize(keys + 2);
  for (size_t i = 0; i < keys; ++i) grid.columns[i] = wide.columns[i];
  names->resize(wide.width());
  for (size_t i = keys; i < wide.width(); ++i) (*names)[i].set_text(wide.columns[i]);
  for (const auto& row : wide.rows) {
    for (size_t i = keys; i < wide.width(); ++i) {
      if (IsMissing(*row[i])) continue;
      std::vector<const v1::Value*>& cells =
          grid.rows.emplace_back(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(keys));
      cells.push_back(&(*names)[i]);
      cells.push_back(row[i]);
    }
  }
  return grid;
}

// `narrow` holds what `wide` holds, one row for each of its cells.
bool IsLongFormOf(const Grid& narrow, const Grid& wide, const ComparisonContext& context) {
  if (narrow.width() < 3 || wide.width() < 2) return false;
  const size_t keys = narrow.width() - 2;
  if (keys >= wide.width() || wide.height() * (wide.width() - keys) < narrow.height()) return false;
  Grid present = narrow;
  std::erase_if(present.rows, [](const auto& row) { return IsMissing(*row.back()); });
  size_t cells = 0;
  for (const auto& row : wide.rows) {
    cells += static_cast<size_t>(std::count_if(row.begin() + static_cast<std::ptrdiff_t>(keys), row.end(),
                                               [](const v1::Value* cell) { return !IsMissing(*cell); }));
  }
  if (cells != present.height()) return false;
  std::vector<v1::Value> names;
  Grid unpivoted = Unpivot(wide, keys, &names);
  for (std::string& name : present.columns) name.clear();
  for (std::string& name : unpivoted.columns) name.clear();
  return ColumnPairing(present, unpivoted, false, context).Run().agree;
}

}  // namespace

Comparison CompareGrids(const Grid& a, const Grid& b, bool ordered, const ComparisonContext& context) {
  if (a.width() != b.width()) {
    const Grid& wider = a.width() > b.width() ? a : b;
    const Grid& other = a.width() > b.width() ? b : a;
    const std::optional<size_t> index = wider.width() == other.width() + 1 ? wider.IndexColumn() : std::nullopt;
    if (index) {
      const Grid bare = wider.Without(*index);
      Comparison compared =
          a.width() > b.width() ? CompareGrids(bare, b, ordered, context) : CompareGrids(a, bare, ordered, context);
      if (compared.agree) return compared;
    }
    if (!ordered && (IsLongFormOf(a, b, context) || IsLongFormOf(b, a, context))) {
      return {true, Closeness::kTolerant, "long_and_wide", ""};
    }
    return Apart("column_count", absl::StrCat(a.width(), " columns against ", b.width()));
  }
  if (a.height() != b.height()) {
    if (!ordered && (IsLongFormOf(a, b, context) || IsLongFormOf(b, a, context))) {
      return {true, Closeness::kTolerant, "long_and_wide", ""};
    }
    return Apart("row_count", absl::StrCat(a.height(), " rows against ", b.height()));
  }
  return ColumnPairing(a, b, ordered, context).Run();
}

}  // namespace conclave
