#include "lib/guest/ingest/column_census.h"

#include <bit>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "lib/base/text.h"

namespace conclave::guest {
namespace {

// Beyond this magnitude not every integer is a double.
constexpr int64_t kExactInDouble = int64_t{1} << 53;
constexpr uint64_t kTextsBeforeSettled = 1024;

constexpr uint8_t kPointStyles = kPointDecimal | kApostropheGroups | kSpaceGroupsPoint;
constexpr uint8_t kCommaStyles = kCommaDecimal | kSpaceGroupsComma;

std::string TypeWord(StoredType type) {
  switch (type) {
    case StoredType::kInteger:
    case StoredType::kReal: return "numbers";
    case StoredType::kBoolean: return "booleans";
    default: return "dates";
  }
}

}  // namespace

void ColumnCensus::AddSlowly(std::string_view text, int64_t row) {
  const CellShape shape = ReadCell(text);
  uint64_t& count = kinds_[static_cast<size_t>(shape.kind)];
  if (shape.kind == CellKind::kEmpty) {
    // Only white space: missing like an empty cell, unless the column is text.
    ++count;
    return;
  }
  std::vector<int64_t>& rows = first_rows_[static_cast<size_t>(shape.kind)];
  if (rows.size() < kQuirkRows) rows.push_back(row);
  ++count;
  switch (shape.kind) {
    case CellKind::kNumber: AddNumber(shape.number, row); break;
    case CellKind::kDate: AddDate(shape.date, row); break;
    case CellKind::kTrueFalse:
    case CellKind::kYesNo: positive_ += shape.positive ? 1 : 0; break;
    case CellKind::kText:
      if (example_text_.empty()) example_text_ = std::string(text.substr(0, 200));
      // From here on the column is text, so texts are collected; when it was something else before, they are incomplete.
      collecting_ = true;
      settled_text_ = count >= kTextsBeforeSettled && count * 2 > cells_;
      break;
    default: break;
  }
}

void ColumnCensus::AddNumber(const NumberLexeme& number, int64_t row) {
  if (number.overflows) overflow_.Add(row);
  const uint8_t common = styles_ & number.styles;
  if (common == 0) {
    misfit_.Add(row);
  } else {
    styles_ = common;
  }
  fraction_ |= number.fraction;
  if (number.decimals > decimals_) decimals_ = number.decimals;
  if (number.fits && (number.styles & ~number.fraction) != 0) {
    if (number.integer < least_integer_) least_integer_ = number.integer;
    if (number.integer > greatest_integer_) greatest_integer_ = number.integer;
  } else if (!number.fits && (number.fraction & styles_) == 0) {
    ++too_long_;
  }
  grouped_ += number.grouped ? 1 : 0;
  code_like_ += number.code_like ? 1 : 0;
  scientific_ += number.scientific ? 1 : 0;
  parenthesised_ += number.parenthesised ? 1 : 0;
  if (number.unit.empty()) return;
  if (with_unit_++ == 0) {
    unit_ = std::string(number.unit);
  } else if (unit_ != number.unit) {
    other_unit_.Add(row);
  }
}

void ColumnCensus::AddDate(const DateLexeme& date, int64_t row) {
  const uint16_t common = orders_ & date.orders;
  if (common == 0) {
    other_order_.Add(row);
  } else {
    orders_ = common;
  }
  // Zones agree when all values have one or none has.
  if (Count(CellKind::kDate) > 1 && date.zoned != (zoned_ > 0)) other_zone_.Add(row);
  zoned_ += date.zoned ? 1 : 0;
  with_time_ += date.has_time ? 1 : 0;
  if (date.finer) finer_.Add(row);
}

void ColumnCensus::Hint(FileHints* hints) const {
  if (Count(CellKind::kNumber) == 0 || Count(CellKind::kText) > 0 || misfit_.count > 0) return;
  if ((styles_ & kPointStyles) == 0) hints->comma_decimal = true;
  if ((styles_ & kCommaStyles) == 0) hints->point_decimal = true;
}

NumberStyle ColumnCensus::ChooseStyle(const FileHints& hints, ColumnDecision* decision) const {
  // Styles that read every cell alike are one choice; the order is that of likelihood.
  const bool comma_file = hints.comma_decimal && !hints.point_decimal;
  const bool point = (styles_ & kPointDecimal) != 0;
  const bool comma = (styles_ & kCommaDecimal) != 0;
  if (point && comma) {
    const bool differ = ((fraction_ & kPointDecimal) != 0) != ((fraction_ & kCommaDecimal) != 0);
    if (!differ) return kPointDecimal;
    // "1,234" and "1.234": thousands in one country, decimals in another. The other columns tell; else a point is a decimal
    // point, and a comma marks thousands unless the file is separated by semicolons.
    const bool as_comma = comma_file || (!hints.point_decimal && hints.semicolons && (fraction_ & kPointDecimal) == 0);
    if ((fraction_ & kPointDecimal) == 0 || as_comma) {
      decision->quirks.push_back({.code = "ambiguous_number",
                                  .count = static_cast<int64_t>(grouped_),
                                  .detail = as_comma ? "values such as \"1.234\" or \"1,234\" were read with a decimal comma"
                                                     : "values such as \"1,234\" were read with commas between thousands",
                                  .notable = hints.comma_decimal == hints.point_decimal});
    }
    return as_comma ? kCommaDecimal : kPointDecimal;
  }
  for (const NumberStyle style : {kPointDecimal, kCommaDecimal, kApostropheGroups, kSpaceGroupsPoint, kSpaceGroupsComma}) {
    if ((styles_ & style) != 0) return style;
  }
  return kPointDecimal;
}

void ColumnCensus::KeepText(ColumnDecision* decision, std::string_view code, const Occurrences& where,
                            std::string_view why) const {
  decision->type = StoredType::kText;
  decision->missing_in_text = true;
  decision->quirks.push_back(
      {.code = std::string(code), .count = where.count, .rows = where.rows, .detail = std::string(why), .notable = true});
}

void ColumnCensus::DecideNumbers(const FileHints& hints, ColumnDecision* decision) const {
  const uint64_t numbers = Count(CellKind::kNumber);
  if (other_unit_.count > 0) {
    const bool percent = unit_ == "percent";
    KeepText(decision, percent ? "mixed_unit" : "mixed_currency", other_unit_,
             absl::StrCat("values are in ", unit_, " and in other units; kept as text, because they cannot be added"));
    return;
  }
  if (with_unit_ > 0 && with_unit_ < numbers) {
    Occurrences bare{.count = static_cast<int64_t>(numbers - with_unit_), .rows = {}};
    KeepText(decision, "mixed_unit", bare, absl::StrCat("some values carry ", unit_, " and some no unit; kept as text"));
    return;
  }
  if (misfit_.count > 0) {
    KeepText(decision, "mixed_number_formats", misfit_,
             "numbers are written with different decimal and group marks; kept as text");
    return;
  }
  const NumberStyle style = ChooseStyle(hints, decision);
  const bool spaced = style == kSpaceGroupsPoint || style == kSpaceGroupsComma;
  if (code_like_ == numbers || too_long_ > 0 || (spaced && grouped_ == numbers)) {
    decision->identifier = true;
    decision->quirks.clear();
    return;
  }
  decision->style = style;
  decision->unit = unit_;
  // Plain digits fit every way of writing, and "1 234" one with a comma and one with a point.
  const bool either = styles_ == kEveryStyle || (spaced && (fraction_ & style) == 0);
  if (!either) decision->decimal_mark = (style & kCommaStyles) != 0 ? "," : ".";
  const bool fractional = (fraction_ & style) != 0 || Count(CellKind::kInfinite) > 0;
  decision->type = fractional ? StoredType::kReal : StoredType::kInteger;
  if (fractional) decision->decimals = decimals_;
  decision->null_count += static_cast<uint64_t>(overflow_.count);
  if (overflow_.count > 0) {
    decision->quirks.push_back({"out_of_range", overflow_.count, overflow_.rows,
                                "numbers beyond the range of 64-bit floating point became missing", true});
  }
  if (Count(CellKind::kInfinite) > 0) {
    Occurrences where{.count = static_cast<int64_t>(Count(CellKind::kInfinite) + Count(CellKind::kNan)),
                      .rows = first_rows_[static_cast<size_t>(CellKind::kInfinite)]};
    decision->null_count += Count(CellKind::kInfinite);
    decision->quirks.push_back({"non_finite", where.count, where.rows, "infinities and NaN became missing", true});
  }
  const bool large =
      least_integer_ <= greatest_integer_ && (least_integer_ < -kExactInDouble || greatest_integer_ > kExactInDouble);
  if (fractional && large && scientific_ == 0 && with_point_ < numbers) {
    decision->quirks.push_back({"inexact", 0, {}, "some values have more digits than 64-bit floating point keeps", true});
  }
  if (parenthesised_ > 0) {
    decision->quirks.push_back(
        {"parenthesised", static_cast<int64_t>(parenthesised_), {}, "numbers in parentheses were read as negative", false});
  }
}

void ColumnCensus::DecideDates(ColumnDecision* decision) const {
  if (other_zone_.count > 0) {
    KeepText(decision, "mixed_timezone", other_zone_,
             "some times name a time zone and some do not, so they cannot be put in order; kept as text");
    return;
  }
  if (other_order_.count > 0) {
    KeepText(decision, "mixed_date_formats", other_order_,
             "no single order of day, month and year fits all dates; kept as text");
    return;
  }
  if (std::popcount(orders_) > 1) {
    Occurrences where{.count = static_cast<int64_t>(Count(CellKind::kDate)), .rows = {}};
    KeepText(decision, "ambiguous_date", where,
             "every date fits both day/month/year and month/day/year; kept as text, because nothing decides");
    return;
  }
  decision->order = static_cast<DateOrder>(orders_);
  decision->type = zoned_ > 0 ? StoredType::kTimestampTz : with_time_ > 0 ? StoredType::kTimestamp : StoredType::kDate;
  if (with_time_ > 0 && with_time_ < Count(CellKind::kDate)) {
    decision->quirks.push_back({"date_without_time",
                                static_cast<int64_t>(Count(CellKind::kDate) - with_time_),
                                {},
                                "dates without a time were read as midnight",
                                false});
  }
  if (finer_.count > 0) {
    decision->quirks.push_back({"sub_microsecond", finer_.count, finer_.rows, "digits beyond microseconds were dropped", true});
  }
}

// A column of which one type fits half or more is worth a word: the cells that did not fit made it text.
void ColumnCensus::DecideMixed(uint64_t present, ColumnDecision* decision) const {
  struct Near {
    StoredType type;
    CellKind kind;
    uint64_t least_in_ten;
    std::string_view code;
  };
  // Whoever asks by date, or for a total, misses the column; few look for true and false among other words.
  static constexpr Near kCandidates[] = {
      {StoredType::kInteger, CellKind::kNumber, 5, "mixed_types"},
      {StoredType::kDate, CellKind::kDate, 5, "mixed_dates"},
      {StoredType::kBoolean, CellKind::kTrueFalse, 9, "mixed_types"},
  };
  for (const Near& near : kCandidates) {
    const uint64_t fitting = Count(near.kind);
    const uint64_t misfits = present - fitting;
    if (fitting < 2 || fitting * 10 < present * near.least_in_ten) continue;
    // Codes and versions are often half numbers, and rightly text; a spelling of "missing" may be one of them.
    decision->missing_in_text = near.type == StoredType::kDate || (fitting >= 10 && misfits * 10 <= present);
    const uint64_t values = decision->missing_in_text ? present : cells_ + quoted_empty_;
    IngestQuirk quirk{.code = std::string(near.code),
                      .count = static_cast<int64_t>(values - fitting),
                      .rows = first_rows_[static_cast<size_t>(CellKind::kText)],
                      .detail = "",
                      .notable = decision->missing_in_text};
    if (quirk.rows.empty()) quirk.rows = first_rows_[static_cast<size_t>(CellKind::kIdentifier)];
    quirk.detail = absl::StrCat(fitting, " of ", values, " values are ", TypeWord(near.type), "; kept as text");
    if (!example_text_.empty()) absl::StrAppend(&quirk.detail, " because of \"", Excerpt(example_text_, 60), "\"");
    decision->quirks.push_back(quirk);
    return;
  }
}

ColumnDecision ColumnCensus::Decide(const FileHints& hints) const {
  ColumnDecision decision;
  const uint64_t blank = Count(CellKind::kEmpty);
  const uint64_t missing = Count(CellKind::kMarker) + Count(CellKind::kNan);
  const uint64_t present = cells_ - blank - missing;
  const uint64_t numbers = Count(CellKind::kNumber) + Count(CellKind::kInfinite);
  if (present == 0) {
    // Nothing but markers, or nothing at all.
  } else if (Count(CellKind::kText) > 0 || settled_ > 0) {
    DecideMixed(present, &decision);
  } else if (Count(CellKind::kDate) == present) {
    DecideDates(&decision);
  } else if (Count(CellKind::kTrueFalse) == present) {
    // Among "Null" and "None", a lone "True" may be a name.
    if ((positive_ > 0 && positive_ < present) || missing == 0) decision.type = StoredType::kBoolean;
  } else if (Count(CellKind::kYesNo) == present) {
    // Only "no" may be Norway.
    if (positive_ > 0 && positive_ < present) decision.type = StoredType::kBoolean;
  } else if (numbers == present && Count(CellKind::kNumber) > 0) {
    DecideNumbers(hints, &decision);
  } else if (numbers + Count(CellKind::kIdentifier) == present && Count(CellKind::kIdentifier) > 0) {
    decision.identifier = true;
  } else {
    DecideMixed(present, &decision);
  }
  if (decision.type == StoredType::kText && !decision.missing_in_text) {
    decision.null_count = empty_;
    return decision;
  }
  decision.null_count += empty_ + quoted_empty_ + blank + missing;
  // Among numbers with infinities NaN is told with these.
  const bool with_infinite = decision.type != StoredType::kText && Count(CellKind::kInfinite) > 0;
  const uint64_t markers = with_infinite ? Count(CellKind::kMarker) : missing;
  if (markers > 0) {
    const CellKind kind = Count(CellKind::kMarker) > 0 ? CellKind::kMarker : CellKind::kNan;
    decision.quirks.push_back({"missing_marker", static_cast<int64_t>(markers), first_rows_[static_cast<size_t>(kind)],
                               "spellings of \"missing\" such as NA, null or - became missing", false});
  }
  return decision;
}

}  // namespace conclave::guest
