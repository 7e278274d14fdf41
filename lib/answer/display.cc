#include "lib/answer/display.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/answer/decimal.h"
#include "lib/answer/grid.h"
#include "lib/base/text.h"
#include "lib/base/value_json.h"

namespace conclave {
namespace {

constexpr size_t kMostRows = 50;
constexpr size_t kMostColumns = 30;
constexpr size_t kCellBytes = 80;
constexpr size_t kScalarBytes = 2000;
constexpr int kSignificantDigits = 6;
constexpr int kDecimals = 4;
constexpr int kExactDigits = 15;           // what a double holds of any decimal number; digits beyond are binary noise
constexpr size_t kPlainDigits = 12;        // a number that is this short once noise is gone was meant like that
constexpr char kAbout[] = "\xE2\x89\x88";  // before a whole number that may not be exact
constexpr int64_t kLargeWhole = 12;  // from 10^12 on, what lies behind the 15th digit may be a real part of a number, not noise
constexpr int64_t kExactWhole = 9'007'199'254'740'992;  // beyond, doubles skip whole numbers

// Terminal columns `text` takes. Excerpt has removed what has no width of its own but combining marks.
size_t WidthOf(const std::string& text) {
  size_t width = 0;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (size_t i = 0; i < text.size();) {
    utf8proc_int32_t c = 0;
    const utf8proc_ssize_t taken = utf8proc_iterate(bytes + i, static_cast<utf8proc_ssize_t>(text.size() - i), &c);
    if (taken <= 0) return text.size();
    width += static_cast<size_t>(std::max(0, utf8proc_charwidth(c)));
    i += static_cast<size_t>(taken);
  }
  return width;
}

// `number` in plain notation with exactly `places` decimals; its exponent is at least -places.
std::string Plain(const Decimal& number, int64_t places) {
  std::string digits = number.digits() + std::string(static_cast<size_t>(number.exponent() + places), '0');
  if (number.is_zero()) digits = std::string(static_cast<size_t>(places) + 1, '0');
  if (digits.size() <= static_cast<size_t>(places)) digits.insert(0, static_cast<size_t>(places) + 1 - digits.size(), '0');
  if (places > 0) digits.insert(digits.size() - static_cast<size_t>(places), ".");
  return number.is_negative() ? "-" + digits : digits;
}

// Half away from zero.
Decimal Rounded(const Decimal& number, int64_t places) {
  const Decimal absolute = number.Absolute();
  if (absolute.is_zero() || absolute.exponent() >= -places) return number;
  if (absolute.magnitude() < -places - 1) return Decimal();
  const Decimal rounded = (absolute + Decimal(5).Shifted(-places - 1)).Floor(places);
  return number.is_negative() ? rounded.Negated() : rounded;
}

std::string CellText(const v1::Value& value, int decimals, bool is_cell, size_t bytes) {
  switch (value.kind_case()) {
    case v1::Value::kBoolean: return value.boolean() ? "true" : "false";
    case v1::Value::kInteger: return Excerpt(value.integer(), bytes);
    case v1::Value::kNumber: return Excerpt(DisplayNumber(value.number(), decimals, is_cell), bytes);
    case v1::Value::kText: return ExcerptOfCell(value.text(), bytes);
    case v1::Value::kDate: return Excerpt(value.date(), bytes);
    case v1::Value::kNull:
    case v1::Value::KIND_NOT_SET: return "(missing)";
    default: return Excerpt(EncodeValue(value).Text(), bytes);
  }
}

bool IsNumeric(const v1::Value& value) { return value.has_integer() || value.has_number(); }

std::string PadRight(const std::string& text, size_t width) {
  const size_t now = WidthOf(text);
  return now < width ? text + std::string(width - now, ' ') : text;
}

std::string PadLeft(const std::string& text, size_t width) {
  const size_t now = WidthOf(text);
  return now < width ? std::string(width - now, ' ') + text : text;
}

std::string Join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) absl::StrAppend(&text, text.empty() ? "" : "\n", line);
  return text;
}

void RemoveTrailingSpace(std::string* line) { line->erase(line->find_last_not_of(' ') + 1); }

std::string DisplayGrid(const Grid& grid, int decimals, bool is_cell) {
  const size_t rows = std::min(grid.height(), kMostRows);
  const size_t columns = std::min(grid.width(), kMostColumns);
  const bool named =
      std::any_of(grid.columns.begin(), grid.columns.end(), [](const std::string& name) { return !name.empty(); });
  std::vector<std::string> lines(rows + (named ? 1 : 0));
  for (size_t column = 0; column < columns; ++column) {
    std::vector<std::string> cells;
    if (named) cells.push_back(Excerpt(grid.columns[column], kCellBytes));
    bool right = rows > 0;
    for (size_t row = 0; row < rows; ++row) {
      const v1::Value& value = *grid.rows[row][column];
      right = right && (IsNumeric(value) || value.has_null() || value.kind_case() == v1::Value::KIND_NOT_SET);
      cells.push_back(CellText(value, decimals, is_cell, kCellBytes));
    }
    size_t width = 0;
    for (const std::string& cell : cells) width = std::max(width, WidthOf(cell));
    for (size_t i = 0; i < cells.size(); ++i) {
      absl::StrAppend(&lines[i], column == 0 ? "" : "  ", right ? PadLeft(cells[i], width) : PadRight(cells[i], width));
    }
  }
  for (std::string& line : lines) RemoveTrailingSpace(&line);
  if (grid.width() > columns) lines.push_back(absl::StrCat("... ", grid.width() - columns, " more columns"));
  if (grid.height() > rows) lines.push_back(absl::StrCat("... ", grid.height() - rows, " more rows"));
  if (grid.height() == 0) lines.push_back("(no rows)");
  return Join(lines);
}

std::string WithUnit(const std::string& number, const std::string& unit) {
  if (unit.empty()) return number;
  if (unit == "percent" || unit == "%") return number + " %";
  return absl::StrCat(number, " ", Excerpt(unit, 40));
}

}  // namespace

bool IsShownRounded(const std::string& lexeme) {
  const std::optional<Decimal> number = Decimal::Parse(lexeme);
  return number && number->digits().size() > static_cast<size_t>(kExactDigits) &&
         number->Significant(kExactDigits).digits().size() > kPlainDigits;
}

bool IsOfCells(const v1::Answer& answer) {
  const auto values = answer.notes().find("values");
  return values != answer.notes().end() && values->second == "cells";
}

std::string DisplayNumber(const std::string& lexeme, int decimals, bool is_cell) {
  const std::optional<Decimal> number = Decimal::Parse(lexeme);
  if (!number) return Excerpt(lexeme, kCellBytes);  // nan, inf
  const int64_t magnitude = number->magnitude();
  const bool rounded = !is_cell && IsShownRounded(lexeme);
  if (!number->is_zero() && (magnitude >= 21 || magnitude < -6 - std::max(0, decimals))) {
    const Decimal head = is_cell ? *number : number->Significant(rounded ? kSignificantDigits : kExactDigits);
    const std::string mantissa = Plain(head.Shifted(-head.magnitude()), static_cast<int64_t>(head.digits().size()) - 1);
    return absl::StrCat(mantissa, "e", head.magnitude());
  }
  if (decimals >= 0) return Plain(Rounded(*number, decimals), decimals);
  const Decimal exact = is_cell ? *number : number->Significant(kExactDigits);
  if (number->is_integral()) {
    // Also of a cell: the file may say another whole number than the double nearest to it.
    return absl::StrCat(number->Absolute() > Decimal(kExactWhole) ? kAbout : "", Plain(*number, 0));
  }
  if (!rounded) {
    const bool lost = !is_cell && exact.is_integral() && magnitude >= kLargeWhole;
    return absl::StrCat(lost ? kAbout : "", Plain(exact, std::max<int64_t>(0, -exact.exponent())));
  }
  const Decimal shown = Rounded(exact, std::max<int64_t>(kDecimals, kSignificantDigits - 1 - magnitude));
  return absl::StrCat(shown.is_integral() ? kAbout : "", Plain(shown, std::max<int64_t>(0, -shown.exponent())));
}

std::string DisplayAnswer(const v1::Answer& answer) {
  switch (answer.kind()) {
    case v1::ANSWER_KIND_UNSPECIFIED: return "no answer";
    case v1::EMPTY: return "(no rows)";
    case v1::UNDEFINED: return "undefined";
    case v1::DECLINED: return answer.reason().empty() ? "declined" : "declined: " + Excerpt(answer.reason(), kScalarBytes);
    case v1::ERROR:
      return absl::StrCat("error: ", Excerpt(answer.error().type(), kCellBytes), answer.error().message().empty() ? "" : ": ",
                          Excerpt(answer.error().message(), kScalarBytes));
    default: break;
  }
  const int decimals = answer.has_decimals() ? answer.decimals() : -1;
  const v1::Value& value = answer.value();
  if (std::optional<Grid> grid = Grid::From(value, {})) return DisplayGrid(*grid, decimals, IsOfCells(answer));
  const std::string text = CellText(value, decimals, IsOfCells(answer), kScalarBytes);
  return IsNumeric(value) ? WithUnit(text, answer.unit()) : text;
}

}  // namespace conclave
