#include "lib/persona/offline/numerals.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace conclave::offline {
namespace {

// Digits, grouped by threes or not at all, and decimals after the mark.
std::optional<std::string> ReadAs(std::string_view text, char group, char decimal) {
  std::string number;
  if (text.starts_with("-")) {
    number = "-";
    text.remove_prefix(1);
  }
  const size_t point = text.rfind(decimal);
  std::string_view whole = text.substr(0, point);
  const std::string_view decimals = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  const auto digits = [](std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), absl::ascii_isdigit);
  };
  if (point != std::string_view::npos && !digits(decimals)) return std::nullopt;
  const size_t first = whole.find(group);
  // Nobody groups a number that begins with a zero.
  if (first != std::string_view::npos && (first > 3 || whole[0] == '0')) return std::nullopt;
  if (!digits(whole.substr(0, first))) return std::nullopt;
  number += whole.substr(0, first);
  whole.remove_prefix(std::min(first, whole.size()));
  while (!whole.empty()) {
    if (whole.size() < 4 || whole[0] != group || !digits(whole.substr(1, 3))) return std::nullopt;
    number += whole.substr(1, 3);
    whole.remove_prefix(4);
  }
  if (!decimals.empty()) absl::StrAppend(&number, ".", std::string(decimals));
  return number;
}

// "1.000" is 1.
std::string Shortened(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with(".")) number.pop_back();
  return number;
}

bool HasDecimals(const std::string& number) { return number.find('.') != std::string::npos; }

bool AnyDecimalComma(const v1::Profile& profile) {
  return std::any_of(profile.columns().begin(), profile.columns().end(),
                     [](const v1::ColumnProfile& column) { return column.decimal_mark() == ","; });
}

NumeralFit DeclinedAsTwo(const std::string& text, const v1::ColumnProfile* column, const Numeral& numeral) {
  const std::string point = Shortened(*numeral.point), comma = Shortened(*numeral.comma);
  const std::string why = column == nullptr ? "nothing tells which is meant"
                                            : absl::StrCat("the numbers of `", column->name(), "` do not tell which");
  return {.number = *numeral.point,
          .problem = absl::StrCat("\"", text, "\" is ", point, " with a decimal point and ", comma,
                                  " with a decimal comma, and ", why, "; write ", point, " or ", comma),
          .suggestions = {point, comma}};
}

}  // namespace

Numeral ReadNumeral(std::string_view text) { return {.point = ReadAs(text, ',', '.'), .comma = ReadAs(text, '.', ',')}; }

size_t NumeralLength(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && absl::ascii_isdigit(text[length])) ++length;
  if (length == 0) return 0;
  while (length + 1 < text.size() && (text[length] == '.' || text[length] == ',') && absl::ascii_isdigit(text[length + 1])) {
    ++length;
    while (length < text.size() && absl::ascii_isdigit(text[length])) ++length;
  }
  const Numeral numeral = ReadNumeral(text.substr(0, length));
  return numeral.point || numeral.comma ? length : 0;
}

NumeralFit FitNumeral(const std::string& text, const v1::ColumnProfile* column, const v1::Profile& profile) {
  const Numeral numeral = ReadNumeral(text);
  const std::string name = column == nullptr ? "" : column->name();
  std::string mark = column == nullptr ? "" : column->decimal_mark();
  if (mark.empty() && column != nullptr && column->type() == v1::COLUMN_REAL) mark = ".";
  if (!numeral.comma) {
    NumeralFit fit{.number = numeral.point.value_or(text)};
    if (mark == ",")
      fit.assumption = absl::StrCat("\"", text, "\" is read with a decimal point, though `", name, "` has commas");
    return fit;
  }
  if (!numeral.point) {
    if (mark == "," || (mark.empty() && AnyDecimalComma(profile))) return {.number = *numeral.comma};
    const std::string number = Shortened(*numeral.comma);
    return {.number = *numeral.comma,
            .problem = absl::StrCat("\"", text, "\" is a number with a decimal comma, and ",
                                    mark.empty() ? "no column of the table has one" : absl::StrCat("`", name, "` has points"),
                                    "; write ", number),
            .suggestions = {number}};
  }
  if (*numeral.point == *numeral.comma) return {.number = *numeral.point};
  const bool counts = column == nullptr || column->type() == v1::COLUMN_INTEGER;
  if (mark.empty()) {
    // Thousands with commas are the way of the language that is read, unless the table is written in another.
    if (!HasDecimals(*numeral.point) && !AnyDecimalComma(profile)) return {.number = *numeral.point};
    return DeclinedAsTwo(text, column, numeral);
  }
  const std::string& number = mark == "," ? *numeral.comma : *numeral.point;
  if (counts && HasDecimals(number)) return DeclinedAsTwo(text, column, numeral);
  // Shortened, so that the answer does not repeat what can be read in two ways.
  NumeralFit fit{.number = Shortened(number)};
  if (mark == ",") {
    fit.assumption = absl::StrCat("\"", text, "\" is ", fit.number, ", because `", name, "` is written with a decimal comma");
  }
  return fit;
}

}  // namespace conclave::offline
