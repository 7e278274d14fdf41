#include "lib/answer/scalar_compare.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "absl/strings/numbers.h"
#include "lib/answer/date_reading.h"
#include "lib/answer/text_folding.h"
#include "lib/base/value_json.h"

namespace conclave {
namespace {

constexpr const char* kScaleWords[] = {"thousand", "million", "billion"};
constexpr int kSignificantToVote = 3;
constexpr int kDigitsOfDouble = 15;
constexpr int64_t kEveryInteger = int64_t{1} << 53;  // below it doubles hold every integer

ScalarComparison Same(Closeness closeness, std::string reason) { return {closeness, std::move(reason)}; }
ScalarComparison Differ(std::string reason) { return {Closeness::kDifferent, std::move(reason)}; }

// The multiples of 10^-places that `value` may be rounded to. A tie, or a tie but for the noise of binary numbers, has two.
struct Roundings {
  Decimal low;
  Decimal high;
};

Roundings RoundTo(const Decimal& value, int64_t places) {
  if (value.is_zero() || value.exponent() >= -places) return {value, value};
  const Decimal ulp = Decimal(1).Shifted(-places);
  const Decimal half = Decimal(5).Shifted(-places - 1);
  if (value.magnitude() < -places - 1) return {Decimal(), Decimal()};  // below a tenth of the last place
  auto nearest = [&](const Decimal& exact) -> Roundings {
    const Decimal floor = exact.Floor(places);
    const Decimal rest = exact - floor;
    if (rest == half) return {floor, floor + ulp};
    return rest < half ? Roundings{floor, floor} : Roundings{floor + ulp, floor + ulp};
  };
  Roundings exact = nearest(value);
  const Decimal shorter = value.Significant(kDigitsOfDouble);
  if ((shorter - value).Absolute().Shifted(3) > ulp) return exact;
  const Roundings denoised = nearest(shorter);
  return {std::min(exact.low, denoised.low), std::max(exact.high, denoised.high)};
}

bool RoundingsMeet(const Decimal& a, const Decimal& b, int64_t places) {
  const Roundings x = RoundTo(a, places);
  const Roundings y = RoundTo(b, places);
  return x.low <= y.high && y.low <= x.high;
}

// An integer written out and a binary number too large to hold every integer: equal when the integer is the binary number.
bool IsSameDouble(const Quantity& exact, const Quantity& binary) {
  if (!exact.exact || !binary.from_double || binary.shown.Absolute() < Decimal(kEveryInteger)) return false;
  return binary.comparable_in_base() && Decimal::FromDouble(binary.shown.approximate()) == exact.shown;
}

ScalarComparison CompareIntegral(const Quantity& a, const Quantity& b, const ComparisonContext& context) {
  if (IsSameDouble(a, b) || IsSameDouble(b, a)) return Same(Closeness::kExact, "equal");
  const bool both_real = !a.exact && !b.exact && context.kind != v1::INTEGER;
  if (both_real && a.shown.Absolute() >= Decimal(kEveryInteger) && IsClose(a.shown, b.shown, *Decimal::Parse("1e-9"))) {
    return Same(Closeness::kTolerant, "tolerance");
  }
  return Differ("value");
}

ScalarComparison CompareZero(const Quantity& a, const Quantity& b, const ComparisonContext& context) {
  const Decimal& other = a.shown.is_zero() ? b.shown : a.shown;
  if (context.decimals && RoundTo(other, *context.decimals).low <= Decimal() &&
      Decimal() <= RoundTo(other, *context.decimals).high) {
    return Same(Closeness::kRounded, "decimals");
  }
  if (std::fabs(other.approximate()) <= context.absolute_tolerance) return Same(Closeness::kTolerant, "tolerance");
  return Differ("value");
}

// The side that shows fewer decimals is the other one rounded, and shows enough digits to mean something.
ScalarComparison CompareShown(const Quantity& a, const Quantity& b) {
  const int64_t places = std::min(a.decimals, b.decimals);
  const Quantity& shorter = a.decimals <= b.decimals ? a : b;
  const bool a_has_more = -a.shown.exponent() > places;
  const bool b_has_more = -b.shown.exponent() > places;
  if (shorter.exact || (a.exact && b.exact)) return Differ("value");
  if (a.decimals == b.decimals && !a_has_more && !b_has_more) return Differ("value");
  if (std::abs(a.shown.magnitude() - b.shown.magnitude()) > 1 || !RoundingsMeet(a.shown, b.shown, places))
    return Differ("value");
  if (shorter.significant() < kSignificantToVote) return Differ("too_coarse");
  return Same(Closeness::kRounded, "rounding");
}

// `shown` in its own unit is `other` rounded to the decimals it states.
bool ShowsRounded(const Quantity& shown, const Quantity& other) {
  if (shown.exact || shown.significant() < kSignificantToVote) return false;
  const Decimal half = Decimal(5).Shifted(-shown.decimals - 1) * shown.unit.factor;
  return (shown.base() - other.base()).Absolute() <= half;
}

ScalarComparison CompareAcrossUnits(const Quantity& a, const Quantity& b, const ComparisonContext& context) {
  if (!a.comparable_in_base() || !b.comparable_in_base()) return Differ("value");
  const Decimal x = a.base();
  const Decimal y = b.base();
  if (x == y) return Same(Closeness::kExact, "converted");
  if (IsClose(x, y, *Decimal::Parse(context.float32 ? "1e-5" : "1e-9"))) return Same(Closeness::kTolerant, "converted");
  if (context.decimals && a.unit.dimension == "ratio") {
    const std::optional<Unit> asked = FindUnit(context.unit);
    const int64_t shift = asked && asked->dimension == "ratio" ? -asked->factor.magnitude() : 0;
    return RoundingsMeet(x, y, *context.decimals + shift) ? Same(Closeness::kRounded, "decimals") : Differ("value");
  }
  if (ShowsRounded(a, b) || ShowsRounded(b, a)) return Same(Closeness::kRounded, "rounding");
  return Differ("value");
}

// "1.23M" does not.
bool ClaimsAllDigits(const Quantity& quantity) { return quantity.exact || quantity.from_double || quantity.decimals >= 0; }

// A unit that is not known but holds a scale, as in "thousand USD": comparing it with a bare number would be a guess.
bool HidesScale(const Unit& unit) {
  if (!unit.dimension.starts_with("other:")) return false;
  return std::any_of(std::begin(kScaleWords), std::end(kScaleWords),
                     [&](const char* word) { return unit.dimension.find(word) != std::string::npos; });
}

bool UnitsDiffer(const Unit& a, const Unit& b) {
  if (a.dimension == b.dimension) return false;
  return (!a.dimension.empty() && !b.dimension.empty()) || HidesScale(a) || HidesScale(b);
}

// 25 % is 0.25: a percent mark on one side only is a conversion. Other marks on one side only add nothing to compare.
bool NeedConversion(const Unit& a, const Unit& b) {
  if (a == b) return false;
  const bool bare = a.dimension.empty() || b.dimension.empty();
  return !bare || a.dimension == "ratio" || b.dimension == "ratio";
}

bool IsKnownFalseWord(std::string_view word) { return word == "no" || word == "n" || word == "false" || word == "f"; }
bool IsKnownTrueWord(std::string_view word) { return word == "yes" || word == "y" || word == "true" || word == "t"; }

// "significant", "not normally distributed" for the properties "significant" and "normal".
std::optional<bool> ReadProperty(std::string_view folded, std::string_view property) {
  bool negated = false;
  for (std::string_view negation : {"not ", "non-", "non ", "no ", "isn't ", "is not ", "in"}) {
    if (!folded.starts_with(negation)) continue;
    negated = true;
    folded.remove_prefix(negation.size());
    break;
  }
  if (!negated && folded.starts_with("is ")) folded.remove_prefix(3);
  const bool word =
      folded == property ||
      (folded.starts_with(property) && (folded[property.size()] == ' ' || folded.substr(property.size()).starts_with("ly")));
  if (!word) return std::nullopt;
  return !negated;
}

std::optional<int> WeekdayOf(const v1::Value& value, const ComparisonContext& context) {
  if (value.has_text()) return ReadWeekday(value.text());
  int number = 0;
  if (!value.has_integer() || !absl::SimpleAtoi(value.integer(), &number) || context.week_start.empty()) return std::nullopt;
  const int first = context.week_start.back() - '0';
  if (number < first || number > first + 6) return std::nullopt;
  const bool sunday = context.week_start.starts_with("sunday");
  return (number - first + (sunday ? 6 : 0)) % 7;
}

ScalarComparison CompareLabels(const v1::Value& a, const v1::Value& b, const ComparisonContext& context) {
  if (a.text() == b.text()) return Same(Closeness::kExact, "equal");
  const LabelRule rule(context.column_has);
  if (rule.Canonical(a.text()) == rule.Canonical(b.text())) return Same(Closeness::kTolerant, "folded");
  return Differ("value");
}

// A label that happens to be a number: equal to an integer only when it is written exactly like it.
ScalarComparison CompareLabelToNumber(const v1::Value& label, const v1::Value& number) {
  return number.has_integer() && label.text() == number.integer() ? Same(Closeness::kTolerant, "label")
                                                                  : Differ("type_mismatch");
}

// "1E5" between texts is a code unless a number is expected.
bool IsPowerText(const v1::Value& value, const ComparisonContext& context) {
  const bool numeric = context.kind == v1::NUMBER || context.kind == v1::INTEGER;
  return !numeric && value.text().find_first_of("eE") != std::string::npos && IsNumberLexeme(value.text());
}

}  // namespace

bool IsMissing(const v1::Value& value) {
  switch (value.kind_case()) {
    case v1::Value::KIND_NOT_SET:
    case v1::Value::kNull: return true;
    case v1::Value::kNumber: return value.number() == "nan";
    case v1::Value::kText: return value.text().empty();
    default: return false;
  }
}

std::optional<bool> ReadBoolean(const v1::Value& value, const ComparisonContext& context) {
  if (value.has_boolean()) return value.boolean();
  const bool expected = context.kind == v1::BOOLEAN;
  if (value.has_text()) {
    const std::string folded = FoldText(value.text());
    if (IsKnownTrueWord(folded)) return true;
    if (IsKnownFalseWord(folded)) return false;
    if (expected && !context.property.empty()) return ReadProperty(folded, FoldText(context.property));
    return std::nullopt;
  }
  if (!expected) return std::nullopt;
  const std::optional<Quantity> number = ReadQuantity(value, {}, {});
  if (!number || number->special != Quantity::Special::kFinite) return std::nullopt;
  if (number->shown == Decimal(1)) return true;
  if (number->shown.is_zero()) return false;
  return std::nullopt;
}

LabelRule::LabelRule(const std::set<std::string>& column_has) {
  std::set<std::string> seen;
  for (const std::string& value : column_has) {
    std::string folded = FoldText(value);
    if (!seen.insert(folded).second) colliding_.insert(std::move(folded));
  }
}

std::string LabelRule::Canonical(std::string_view text) const {
  std::string folded = FoldText(text);
  return colliding_.count(folded) > 0 ? TrimText(text) : folded;
}

std::optional<std::string> DateKey(const v1::Value& value, const ComparisonContext& context) {
  if (value.has_date() || value.has_text()) {
    const std::optional<DateReading> date = ReadDate(value.has_date() ? value.date() : value.text(), context.day_first);
    if (date) return CanonicalDate(*date, context.frequency);
    return std::nullopt;
  }
  int64_t number = 0;
  if (!value.has_integer() || !absl::SimpleAtoi(value.integer(), &number)) return std::nullopt;
  if (context.timestamp && std::abs(number) < 100'000'000'000)
    return CanonicalDate(DateFromUnixSeconds(number), context.frequency);
  if (number >= 1000 && number <= 9999) return value.integer();  // a year
  return std::nullopt;
}

ScalarComparison CompareQuantities(const Quantity& a, const Quantity& b, const ComparisonContext& context) {
  if (a.special != Quantity::Special::kFinite || b.special != Quantity::Special::kFinite) {
    return a.special == b.special ? Same(Closeness::kExact, "equal") : Differ("value");
  }
  if (UnitsDiffer(a.unit, b.unit)) return Differ("unit");
  if (NeedConversion(a.unit, b.unit)) return CompareAcrossUnits(a, b, context);
  const bool integral = a.shown.is_integral() && b.shown.is_integral();
  if (context.kind == v1::INTEGER && !integral)
    return a.shown == b.shown ? Same(Closeness::kExact, "equal") : Differ("not_integral");
  if (a.shown == b.shown) return Same(Closeness::kExact, "equal");
  if (integral && ClaimsAllDigits(a) && ClaimsAllDigits(b)) return CompareIntegral(a, b, context);
  if (a.shown.is_zero() || b.shown.is_zero()) return CompareZero(a, b, context);
  if (IsClose(a.shown, b.shown, *Decimal::Parse(context.float32 ? "1e-5" : "1e-9")))
    return Same(Closeness::kTolerant, "tolerance");
  if (a.shown.is_negative() != b.shown.is_negative()) return Differ("sign");
  if (context.decimals) {
    const bool near =
        std::abs(a.shown.magnitude() - b.shown.magnitude()) <= 1 || a.shown.magnitude() + b.shown.magnitude() < 20;
    return near && a.comparable_in_base() && b.comparable_in_base() && RoundingsMeet(a.shown, b.shown, *context.decimals)
               ? Same(Closeness::kRounded, "decimals")
               : Differ("value");
  }
  return CompareShown(a, b);
}

ScalarComparison CompareScalars(const v1::Value& a, const NumberClaims& a_claims, const v1::Value& b,
                                const NumberClaims& b_claims, const ComparisonContext& context) {
  if (IsMissing(a) || IsMissing(b))
    return IsMissing(a) && IsMissing(b) ? Same(Closeness::kExact, "missing") : Differ("missing");
  if (context.kind == v1::BOOLEAN || a.has_boolean() || b.has_boolean()) {
    const std::optional<bool> x = ReadBoolean(a, context);
    const std::optional<bool> y = ReadBoolean(b, context);
    if (x && y) return *x == *y ? Same(Closeness::kExact, "equal") : Differ("value");
    if (a.has_boolean() || b.has_boolean()) return Differ("type_mismatch");
  }
  if (context.weekday) {
    const std::optional<int> x = WeekdayOf(a, context);
    const std::optional<int> y = WeekdayOf(b, context);
    if (x && y) return *x == *y ? Same(Closeness::kExact, "equal") : Differ("value");
  }
  if (context.kind == v1::TEXT && a.has_text() != b.has_text() && !a.has_date() && !b.has_date()) {
    return a.has_text() ? CompareLabelToNumber(a, b) : CompareLabelToNumber(b, a);
  }
  if (context.kind == v1::TEXT && a.has_text() && b.has_text()) return CompareLabels(a, b, context);
  if (a.has_text() && b.has_text() && CompareLabels(a, b, context).agree()) return CompareLabels(a, b, context);
  if (a.has_text() && b.has_text() && (IsPowerText(a, context) || IsPowerText(b, context))) return Differ("value");
  const std::optional<Quantity> x = ReadQuantity(a, a_claims, context);
  const std::optional<Quantity> y = ReadQuantity(b, b_claims, context);
  if (x && y && !context.timestamp) return CompareQuantities(*x, *y, context);
  const std::optional<std::string> first = DateKey(a, context);
  const std::optional<std::string> second = DateKey(b, context);
  if (first && second) {
    return *first == *second ? Same(Closeness::kExact, "equal")
                             : Differ(first->size() == second->size() ? "value" : "granularity");
  }
  if (a.has_text() && b.has_text()) return Differ("value");
  return Differ("type_mismatch");
}

}  // namespace conclave
