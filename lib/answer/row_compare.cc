// CompareRows: rows of two grids under a given pairing of columns.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/answer/canonical.h"
#include "lib/answer/grid_compare.h"
#include "lib/base/text.h"
#include "lib/base/value_json.h"

namespace conclave {
namespace {

// How the cells of a pair of columns are compared. All but kReal by a text that is equal for equal cells.
enum class Style { kLabel, kInteger, kReal, kDate, kBoolean, kMixed };

constexpr char kMissingKey[] = "~";
constexpr double kSameNumber = 2e-9;  // relative; finds candidates, the comparison itself decides

using Column = std::vector<const v1::Value*>;

Column ColumnOf(const Grid& grid, size_t column) {
  Column cells;
  cells.reserve(grid.height());
  for (const auto& row : grid.rows) cells.push_back(row[column]);
  return cells;
}

struct Census {
  size_t booleans = 0;
  size_t integers = 0;
  size_t numbers = 0;
  size_t texts = 0;
  size_t dates = 0;
  size_t nested = 0;

  size_t total() const { return booleans + integers + numbers + texts + dates + nested; }
};

Census Count(const Column& cells) {
  Census census;
  for (const v1::Value* cell : cells) {
    if (IsMissing(*cell)) continue;
    switch (cell->kind_case()) {
      case v1::Value::kBoolean: ++census.booleans; break;
      case v1::Value::kInteger: ++census.integers; break;
      case v1::Value::kNumber: ++census.numbers; break;
      case v1::Value::kText: ++census.texts; break;
      case v1::Value::kDate: ++census.dates; break;
      default: ++census.nested; break;
    }
  }
  return census;
}

template <typename Test>
bool All(const Column& a, const Column& b, Test test) {
  auto holds = [&](const v1::Value* cell) { return IsMissing(*cell) || test(*cell); };
  return std::all_of(a.begin(), a.end(), holds) && std::all_of(b.begin(), b.end(), holds);
}

bool IsZeroOrOne(const v1::Value& value) { return value.integer() == "0" || value.integer() == "1"; }

// An integer in the form of either kind, small enough that a double holds it and its neighbours.
bool IsPlainInteger(const v1::Value& value) {
  if (value.has_integer()) return true;
  if (!value.has_number()) return false;
  const std::optional<Decimal> number = Decimal::Parse(value.number());
  return number && number->is_integral() && number->magnitude() < 15;
}

class PairOfColumns {
 public:
  PairOfColumns(const Grid& a, size_t a_column, const Grid& b, size_t b_column, const ComparisonContext& context)
      : a_(ColumnOf(a, a_column)), b_(ColumnOf(b, b_column)), a_claims_(a.claims), b_claims_(b.claims), context_(context) {
    style_ = Choose();
  }

  Style style() const { return style_; }
  const v1::Value& a(size_t row) const { return *a_[row]; }
  const v1::Value& b(size_t row) const { return *b_[row]; }

  // Equal for cells that agree. For kReal it only tells finite numbers from others.
  std::string Key(const v1::Value& value, const LabelRule& labels) const {
    if (IsMissing(value)) return kMissingKey;
    switch (style_) {
      case Style::kLabel: return labels.Canonical(value.text());
      case Style::kInteger:
        return Decimal::Parse(value.has_integer() ? value.integer() : value.number()).value_or(Decimal()).Text();
      case Style::kDate: return DateKey(value, context_).value_or("");
      case Style::kBoolean: return value.has_boolean() ? (value.boolean() ? "1" : "0") : value.integer();
      case Style::kReal: return value.number() == "inf" || value.number() == "-inf" ? value.number() : "n";
      case Style::kMixed: break;
    }
    return CanonicalText(value, context_);
  }

  double Approximate(const v1::Value& value, bool of_a) const {
    const std::optional<Quantity> quantity = ReadQuantity(value, of_a ? a_claims_ : b_claims_, context_);
    if (!quantity || quantity->special != Quantity::Special::kFinite) return 0;
    return quantity->comparable_in_base() ? quantity->base().approximate() : quantity->shown.approximate();
  }

  ScalarComparison CompareReal(size_t a_row, size_t b_row) const {
    const v1::Value& x = a(a_row);
    const v1::Value& y = b(b_row);
    if (x.has_number() && y.has_number() && x.number() == y.number() && a_claims_.unit == b_claims_.unit) {
      return {Closeness::kExact, "equal"};
    }
    return CompareScalars(x, a_claims_, y, b_claims_, context_);
  }

 private:
  Style Choose() const {
    const Census x = Count(a_);
    const Census y = Count(b_);
    if (x.nested + y.nested > 0) return Style::kMixed;
    if (x.booleans + y.booleans > 0) {
      const bool flags = x.booleans + x.integers == x.total() && y.booleans + y.integers == y.total() &&
                         (x.integers == 0 || x.booleans == 0) && (y.integers == 0 || y.booleans == 0) &&
                         All(a_, b_, [](const v1::Value& v) { return v.has_boolean() || IsZeroOrOne(v); });
      return flags ? Style::kBoolean : Style::kMixed;
    }
    auto is_date = [&](const v1::Value& v) { return DateKey(v, context_).has_value(); };
    if (x.dates + y.dates > 0) return All(a_, b_, is_date) ? Style::kDate : Style::kMixed;
    if (x.texts + y.texts == 0) {
      const bool integers = a_claims_.unit == b_claims_.unit && All(a_, b_, IsPlainInteger);
      return integers ? Style::kInteger : Style::kReal;
    }
    auto is_number = [&](const v1::Value& v) { return ReadQuantity(v, {}, context_).has_value(); };
    if (All(a_, b_, is_number)) return Style::kReal;
    if (All(a_, b_, is_date)) return Style::kDate;
    return x.texts == x.total() && y.texts == y.total() ? Style::kLabel : Style::kMixed;
  }

  Column a_;
  Column b_;
  const NumberClaims& a_claims_;
  const NumberClaims& b_claims_;
  const ComparisonContext& context_;
  Style style_;
};

Comparison Agreed(Closeness closeness) {
  const char* reason = closeness == Closeness::kExact ? "equal" : closeness == Closeness::kTolerant ? "tolerance" : "rounding";
  return {true, closeness, reason, ""};
}

Comparison Disagreed(std::string reason, std::string difference) {
  return {false, Closeness::kDifferent, std::move(reason), std::move(difference)};
}

class RowComparer {
 public:
  RowComparer(const Grid& a, const Grid& b, const std::vector<size_t>& columns, const ComparisonContext& context)
      : a_(a), b_(b), columns_(columns), context_(context), labels_(context.column_has) {
    for (size_t i = 0; i < columns.size(); ++i) pairs_.emplace_back(a, i, b, columns[i], context);
    a_keys_ = Keys(true);
    b_keys_ = Keys(false);
  }

  Comparison InOrder() {
    Closeness closeness = Closeness::kExact;
    for (size_t row = 0; row < a_.height(); ++row) {
      const Closeness near = CompareRow(row, row);
      if (near == Closeness::kDifferent) return OutOfOrder(row);
      closeness = std::min(closeness, near);
    }
    return Agreed(closeness);
  }

  Comparison AsMultisets() {
    std::vector<size_t> x = SortedByKey(a_keys_);
    std::vector<size_t> y = SortedByKey(b_keys_);
    for (size_t i = 0; i < x.size(); ++i) {
      if (a_keys_[x[i]] != b_keys_[y[i]]) return Diagnose();
    }
    Closeness closeness = Closeness::kExact;
    for (size_t begin = 0; begin < x.size();) {
      size_t end = begin + 1;
      while (end < x.size() && a_keys_[x[end]] == a_keys_[x[begin]]) ++end;
      const Closeness near = CompareGroup(&x, &y, begin, end);
      if (near == Closeness::kDifferent) return Diagnose();
      closeness = std::min(closeness, near);
      begin = end;
    }
    return Agreed(closeness);
  }

 private:
  std::vector<std::string> Keys(bool of_a) const {
    const size_t height = of_a ? a_.height() : b_.height();
    std::vector<std::string> keys(height);
    for (const PairOfColumns& pair : pairs_) {
      for (size_t row = 0; row < height; ++row) {
        const std::string key = pair.Key(of_a ? pair.a(row) : pair.b(row), labels_);
        absl::StrAppend(&keys[row], key.size(), ":", key);
      }
    }
    return keys;
  }

  static std::vector<size_t> SortedByKey(const std::vector<std::string>& keys) {
    std::vector<size_t> order(keys.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t i, size_t j) {
      const int compared = keys[i].compare(keys[j]);
      return compared != 0 ? compared < 0 : i < j;
    });
    return order;
  }

  Closeness CompareRow(size_t a_row, size_t b_row) const {
    if (a_keys_[a_row] != b_keys_[b_row]) return Closeness::kDifferent;
    Closeness closeness = Closeness::kExact;
    for (const PairOfColumns& pair : pairs_) {
      if (pair.style() != Style::kReal || IsMissing(pair.a(a_row))) continue;
      closeness = std::min(closeness, pair.CompareReal(a_row, b_row).closeness);
    }
    return closeness;
  }

  // Rows x[begin, end) and y[begin, end) have equal keys and differ at most in real numbers: pairs them in the order of those.
  Closeness CompareGroup(std::vector<size_t>* x, std::vector<size_t>* y, size_t begin, size_t end) const {
    if (end - begin > 1) SortByNumbers(x, y, begin, end);
    Closeness closeness = Closeness::kExact;
    for (size_t i = begin; i < end && closeness != Closeness::kDifferent; ++i) {
      closeness = std::min(closeness, CompareRow((*x)[i], (*y)[i]));
    }
    return closeness;
  }

  struct SortRow {
    size_t index = 0;
    std::vector<double> numbers;   // one per real column
    std::vector<size_t> clusters;  // numbers that are the same but for noise have the same cluster
  };

  // Noise in one column must not decide how rows are ordered by the next, so rows are sorted by cluster first.
  void SortByNumbers(std::vector<size_t>* x, std::vector<size_t>* y, size_t begin, size_t end) const {
    std::vector<SortRow> rows;
    for (bool of_a : {true, false}) {
      for (size_t i = begin; i < end; ++i) rows.push_back(NumbersOf(of_a ? (*x)[i] : (*y)[i], of_a));
    }
    const size_t width = rows[0].numbers.size();
    std::vector<size_t> order(rows.size());
    for (size_t column = 0; column < width; ++column) {
      for (size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::sort(order.begin(), order.end(),
                [&](size_t i, size_t j) { return rows[i].numbers[column] < rows[j].numbers[column]; });
      size_t cluster = 0;
      for (size_t i = 0; i < order.size(); ++i) {
        const double now = rows[order[i]].numbers[column];
        const double last = i == 0 ? now : rows[order[i - 1]].numbers[column];
        if (now - last > kSameNumber * std::max(std::fabs(now), std::fabs(last))) ++cluster;
        rows[order[i]].clusters.push_back(cluster);
      }
    }
    const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(end - begin);
    auto before = [](const SortRow& p, const SortRow& q) {
      if (p.clusters != q.clusters) return p.clusters < q.clusters;
      return p.numbers != q.numbers ? p.numbers < q.numbers : p.index < q.index;
    };
    std::sort(rows.begin(), middle, before);
    std::sort(middle, rows.end(), before);
    for (size_t i = begin; i < end; ++i) {
      (*x)[i] = rows[i - begin].index;
      (*y)[i] = rows[i - begin + (end - begin)].index;
    }
  }

  SortRow NumbersOf(size_t index, bool of_a) const {
    SortRow row;
    row.index = index;
    for (const PairOfColumns& pair : pairs_) {
      if (pair.style() == Style::kReal) row.numbers.push_back(pair.Approximate(of_a ? pair.a(index) : pair.b(index), of_a));
    }
    return row;
  }

  // Rows differ at `row`. They still agree when a column both sides are sorted by has ties, and rows only trade places in them.
  Comparison OutOfOrder(size_t row) {
    for (size_t column = 0; column < pairs_.size(); ++column) {
      if (std::optional<Comparison> tied = CompareWithinTies(column)) return *std::move(tied);
    }
    std::string difference = FirstDifference(row, row);
    const bool permuted = AsMultisets().agree;
    return Disagreed(permuted ? "row_order" : "value", std::move(difference));
  }

  std::optional<Comparison> CompareWithinTies(size_t column) const {
    const PairOfColumns& pair = pairs_[column];
    if (pair.style() != Style::kReal && pair.style() != Style::kInteger) return std::nullopt;
    std::vector<double> numbers;
    for (size_t row = 0; row < a_.height(); ++row) {
      if (IsMissing(pair.a(row)) || IsMissing(pair.b(row)) || !pair.CompareReal(row, row).agree()) return std::nullopt;
      numbers.push_back(pair.Approximate(pair.a(row), true));
    }
    const bool down = numbers.front() > numbers.back();
    Closeness closeness = Closeness::kTolerant;
    for (size_t begin = 0; begin < numbers.size();) {
      size_t end = begin + 1;
      while (end < numbers.size() && std::fabs(numbers[end] - numbers[begin]) <= kSameNumber * std::fabs(numbers[begin])) ++end;
      if (end < numbers.size() && (numbers[end] < numbers[begin]) != down) return std::nullopt;
      Grid x = Slice(a_, begin, end);
      Grid y = Slice(b_, begin, end);
      const Comparison run = CompareRows(x, y, columns_, false, context_);
      if (!run.agree) return std::nullopt;
      closeness = std::min(closeness, run.closeness);
      begin = end;
    }
    return Comparison{true, closeness, "tie", ""};
  }

  static Grid Slice(const Grid& grid, size_t begin, size_t end) {
    Grid slice;
    slice.columns = grid.columns;
    slice.claims = grid.claims;
    slice.rows.assign(grid.rows.begin() + static_cast<std::ptrdiff_t>(begin),
                      grid.rows.begin() + static_cast<std::ptrdiff_t>(end));
    return slice;
  }

  std::string FirstDifference(size_t a_row, size_t b_row) const {
    for (size_t column = 0; column < pairs_.size(); ++column) {
      const PairOfColumns& pair = pairs_[column];
      const v1::Value& x = pair.a(a_row);
      const v1::Value& y = pair.b(b_row);
      const bool same = pair.Key(x, labels_) == pair.Key(y, labels_) &&
                        (pair.style() != Style::kReal || IsMissing(x) || pair.CompareReal(a_row, b_row).agree());
      if (same) continue;
      const std::string name = a_.columns[column].empty() ? absl::StrCat(column + 1) : Excerpt(a_.columns[column], 60);
      return absl::StrCat("row ", a_row + 1, ", column ", name, ": ", ShowValue(x), " against ", ShowValue(y));
    }
    return "";
  }

  std::string ShowRow(const Grid& grid, size_t row) const {
    std::string shown;
    for (size_t i = 0; i < grid.width() && i < 6; ++i) {
      absl::StrAppend(&shown, i == 0 ? "" : ", ", ShowValue(*grid.rows[row][i]));
    }
    return absl::StrCat("(", shown, grid.width() > 6 ? ", ..." : "", ")");
  }

  // What the first difference is, once it is certain that there is one: rows are identified by their labels, dates and flags.
  Comparison Diagnose() const {
    auto identity = [&](size_t row, bool of_a) {
      std::string key;
      for (const PairOfColumns& pair : pairs_) {
        if (pair.style() == Style::kReal || pair.style() == Style::kInteger) continue;
        const std::string part = pair.Key(of_a ? pair.a(row) : pair.b(row), labels_);
        absl::StrAppend(&key, part.size(), ":", part);
      }
      return key;
    };
    std::map<std::string, std::vector<size_t>> places;
    for (size_t row = b_.height(); row-- > 0;) places[identity(row, false)].push_back(row);
    for (size_t row = 0; row < a_.height(); ++row) {
      auto found = places.find(identity(row, true));
      if (found == places.end() || found->second.empty()) {
        return Disagreed("value", absl::StrCat("row ", row + 1, " ", ShowRow(a_, row), " has no counterpart"));
      }
      const size_t other = found->second.back();
      if (CompareRow(row, other) == Closeness::kDifferent && found->second.size() == 1) {
        return Disagreed("value", FirstDifference(row, other));
      }
      found->second.pop_back();
    }
    return Disagreed("value", "the rows hold different numbers");
  }

  const Grid& a_;
  const Grid& b_;
  const std::vector<size_t>& columns_;
  const ComparisonContext& context_;
  LabelRule labels_;
  std::vector<PairOfColumns> pairs_;
  std::vector<std::string> a_keys_;
  std::vector<std::string> b_keys_;
};

}  // namespace

std::string ShowValue(const v1::Value& value) { return Excerpt(EncodeValue(value).Text(), 60); }

Comparison CompareRows(const Grid& a, const Grid& b, const std::vector<size_t>& columns, bool ordered,
                       const ComparisonContext& context) {
  if (a.height() != b.height()) {
    return Disagreed("row_count", absl::StrCat(a.height(), " rows against ", b.height()));
  }
  if (a.height() == 0) return Agreed(Closeness::kExact);
  RowComparer comparer(a, b, columns, context);
  return ordered ? comparer.InOrder() : comparer.AsMultisets();
}

}  // namespace conclave
