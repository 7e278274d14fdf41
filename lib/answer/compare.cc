#include "lib/answer/compare.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/answer/grid.h"
#include "lib/answer/grid_compare.h"
#include "lib/answer/text_folding.h"

namespace conclave {
namespace {

Comparison Agree(Closeness closeness, std::string reason) { return {true, closeness, std::move(reason), ""}; }

Comparison Disagree(std::string reason, std::string difference) {
  return {false, Closeness::kDifferent, std::move(reason), std::move(difference)};
}

std::string Against(const v1::Value& a, const v1::Value& b) { return absl::StrCat(ShowValue(a), " against ", ShowValue(b)); }

bool IsContainer(const v1::Value& value) { return value.has_list() || value.has_map() || value.has_table(); }

bool ExpectsContainer(const ComparisonContext& context) {
  return context.kind == v1::LIST || context.kind == v1::MAP || context.kind == v1::TABLE;
}

// Said by people and programs for a result that holds nothing, where a list is expected.
bool IsPhraseForEmpty(const v1::Value& value, const ComparisonContext& context) {
  static constexpr std::array<std::string_view, 9> kPhrases = {"none",    "n/a",     "na",         "empty",     "no outliers",
                                                               "no rows", "nothing", "no results", "no matches"};
  if (!value.has_text() || !ExpectsContainer(context)) return false;
  return std::find(kPhrases.begin(), kPhrases.end(), FoldText(value.text())) != kPhrases.end();
}

enum class Presence { kPresent, kMissing, kEmpty };

// Whether there is a value, a missing one, or a container that holds nothing.
Presence PresenceOf(const v1::Answer& answer, const ComparisonContext& context) {
  const v1::Value& value = answer.value();
  if (answer.kind() == v1::EMPTY || IsPhraseForEmpty(value, context)) return Presence::kEmpty;
  if (answer.kind() == v1::UNDEFINED) return Presence::kMissing;
  if (value.has_list()) return value.list().items().empty() ? Presence::kEmpty : Presence::kPresent;
  if (value.has_map()) return value.map().entries().empty() ? Presence::kEmpty : Presence::kPresent;
  if (value.has_table()) return value.table().rows().empty() ? Presence::kEmpty : Presence::kPresent;
  return IsMissing(value) ? Presence::kMissing : Presence::kPresent;
}

// The score of a label, or absent when it has none.
std::optional<Decimal> ScoreOf(const v1::Value& label, const ComparisonContext& context) {
  if (!label.has_text()) return std::nullopt;
  const std::string folded = FoldText(label.text());
  for (const auto& [name, score] : context.scores) {
    if (FoldText(name) == folded) return Decimal::Parse(score);
  }
  return std::nullopt;
}

bool ScoresTie(const v1::Value& a, const v1::Value& b, const ComparisonContext& context) {
  const std::optional<Decimal> x = ScoreOf(a, context);
  const std::optional<Decimal> y = ScoreOf(b, context);
  return x && y && *x == *y;
}

// Two rankings that differ only where scores tie: ranks trade places within a tie, and what is on one side only ties with the
// last rank, where the ranking was cut.
bool RankingsTie(const v1::ValueList& a, const v1::ValueList& b, const ComparisonContext& context) {
  if (context.scores.empty() || a.items_size() != b.items_size() || a.items().empty()) return false;
  auto folded = [](const v1::ValueList& list) {
    std::vector<std::string> labels;
    for (const v1::Value& item : list.items()) labels.push_back(FoldText(item.text()));
    std::sort(labels.begin(), labels.end());
    return labels;
  };
  const std::vector<std::string> x = folded(a);
  const std::vector<std::string> y = folded(b);
  auto repeats = [](const std::vector<std::string>& labels) {
    return std::adjacent_find(labels.begin(), labels.end()) != labels.end();
  };
  if (repeats(x) || repeats(y)) return false;
  const v1::Value& last = a.items(a.items_size() - 1);
  for (int i = 0; i < a.items_size(); ++i) {
    if (!ScoresTie(a.items(i), b.items(i), context)) return false;
    const bool a_alone = !std::binary_search(y.begin(), y.end(), FoldText(a.items(i).text()));
    const bool b_alone = !std::binary_search(x.begin(), x.end(), FoldText(b.items(i).text()));
    if ((a_alone || b_alone) && (!context.top_n || !ScoresTie(a.items(i), last, context))) return false;
  }
  return true;
}

// "a, b" where a list is expected: the list it spells, unless an item of `other` holds a comma itself.
std::optional<v1::Value> SplitText(const v1::Value& text, const v1::Value& other, const ComparisonContext& context) {
  if (context.kind != v1::LIST || !text.has_text() || !other.has_list()) return std::nullopt;
  for (const v1::Value& item : other.list().items()) {
    if (item.text().find(',') != std::string::npos) return std::nullopt;
  }
  v1::Value list;
  std::string_view rest = text.text();
  while (true) {
    const size_t comma = rest.find(',');
    list.mutable_list()->add_items()->set_text(TrimText(rest.substr(0, comma)));
    if (comma == std::string_view::npos) return list;
    rest.remove_prefix(comma + 1);
  }
}

class Comparer {
 public:
  Comparer(const v1::Answer& a, const v1::Answer& b, const ComparisonContext& context)
      : a_claims_(ClaimsOf(a)), b_claims_(ClaimsOf(b)), context_(context) {
    ordered_ = context.ordered.value_or(a.ordered() && b.ordered());
  }

  Comparison Values(const v1::Value& a, const v1::Value& b) const {
    if (IsContainer(a) && IsContainer(b)) return Containers(a, b);
    if (IsContainer(a) == IsContainer(b)) return Scalars(a, b);
    const v1::Value& x = Unwrap(a);
    const v1::Value& y = Unwrap(b);
    if (!IsContainer(x) && !IsContainer(y)) return Scalars(x, y);
    if (std::optional<v1::Value> split = SplitText(a, b, context_)) return Containers(*split, b);
    if (std::optional<v1::Value> split = SplitText(b, a, context_)) return Containers(a, *split);
    return Disagree("type_mismatch", Against(a, b));
  }

 private:
  static NumberClaims ClaimsOf(const v1::Answer& answer) {
    NumberClaims claims;
    claims.unit = answer.unit();
    if (answer.has_decimals()) claims.decimals = answer.decimals();
    return claims;
  }

  Comparison Scalars(const v1::Value& a, const v1::Value& b) const {
    ScalarComparison compared = CompareScalars(a, a_claims_, b, b_claims_, context_);
    if (compared.agree()) return Agree(compared.closeness, std::move(compared.reason));
    if (ScoresTie(a, b, context_)) return Agree(Closeness::kTolerant, "tie");
    return Disagree(std::move(compared.reason), Against(a, b));
  }

  Comparison Containers(const v1::Value& a, const v1::Value& b) const {
    const std::optional<Grid> x = Grid::From(a, a_claims_);
    const std::optional<Grid> y = Grid::From(b, b_claims_);
    if (a.has_map() && b.has_map()) {
      // Which of the two columns is which is not open to search.
      return CompareRows(*x, *y, {0, 1}, ordered_, context_);
    }
    if (a.has_list() && b.has_list() && x->width() == 1 && y->width() == 1) {
      Comparison compared = CompareRows(*x, *y, {0}, ordered_, context_);
      if (!compared.agree && RankingsTie(a.list(), b.list(), context_)) return Agree(Closeness::kTolerant, "tie");
      return compared;
    }
    if (a.has_map() != b.has_map()) {
      const std::optional<Grid> row = a.has_map() ? Grid::RowOf(a, a_claims_) : Grid::RowOf(b, b_claims_);
      const Grid& other = a.has_map() ? *y : *x;
      if (row && other.height() == 1 && row->width() == other.width()) {
        Comparison compared =
            a.has_map() ? CompareGrids(*row, other, ordered_, context_) : CompareGrids(other, *row, ordered_, context_);
        if (compared.agree) return compared;
      }
    }
    return CompareGrids(*x, *y, ordered_, context_);
  }

  NumberClaims a_claims_;
  NumberClaims b_claims_;
  const ComparisonContext& context_;
  bool ordered_ = false;
};

}  // namespace

Comparison Compare(const v1::Answer& a, const v1::Answer& b, const ComparisonContext& context) {
  auto abstains = [](const v1::Answer& answer) {
    return answer.kind() == v1::ERROR || answer.kind() == v1::ANSWER_KIND_UNSPECIFIED;
  };
  if (abstains(a) || abstains(b)) return Disagree("abstains", "an error is no answer");
  if (a.kind() == v1::DECLINED || b.kind() == v1::DECLINED) {
    if (a.kind() == b.kind()) return Agree(Closeness::kExact, "declined");
    return Disagree("declined", "one declined, the other answered");
  }
  const Presence x = PresenceOf(a, context);
  const Presence y = PresenceOf(b, context);
  if (x != Presence::kPresent || y != Presence::kPresent) {
    const bool agree = x == y || (x != Presence::kPresent && y != Presence::kPresent && ExpectsContainer(context));
    if (agree) return Agree(Closeness::kExact, "missing");
    auto shown = [](const v1::Answer& answer, Presence presence) {
      return presence == Presence::kPresent ? ShowValue(answer.value())
                                            : std::string(presence == Presence::kEmpty ? "no rows" : "no value");
    };
    return Disagree("missing", absl::StrCat(shown(a, x), " against ", shown(b, y)));
  }
  return Comparer(a, b, context).Values(a.value(), b.value());
}

}  // namespace conclave
