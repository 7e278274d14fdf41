#include "lib/persona/offline/columns.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "lib/base/text.h"
#include "lib/persona/offline/words.h"
#include "lib/plan/case_folding.h"

namespace conclave::offline {

bool IsNumeric(const v1::ColumnProfile& column) {
  return column.type() == v1::COLUMN_INTEGER || column.type() == v1::COLUMN_REAL;
}

namespace {

std::string DetailOf(const v1::ColumnProfile& column, std::initializer_list<std::string_view> codes) {
  for (const v1::Quirk& quirk : column.quirks()) {
    if (column.type() != v1::COLUMN_TEXT || std::find(codes.begin(), codes.end(), quirk.code()) == codes.end()) continue;
    const bool cells = quirk.code().starts_with("mixed_") && quirk.rows_size() > 0;
    return absl::StrCat(quirk.detail(), cells ? absl::StrCat(" (row ", quirk.rows(0), ")") : "");
  }
  return "";
}

}  // namespace

std::string WhyNotDates(const v1::ColumnProfile& column) {
  return DetailOf(column, {"ambiguous_date", "mixed_date_formats", "mixed_timezone", "mixed_dates"});
}

std::string WhyText(const v1::ColumnProfile& column) {
  const std::string dates = WhyNotDates(column);
  if (!dates.empty()) return dates;
  return DetailOf(column, {"mixed_types", "mixed_unit", "mixed_currency", "mixed_number_formats"});
}

std::optional<YesNo> AsYesNo(const v1::ColumnProfile& column) {
  const Literal one{LiteralKind::kNumber, "1"}, zero{LiteralKind::kNumber, "0"};
  if (column.type() == v1::COLUMN_BOOLEAN) return YesNo{one, zero};
  if (column.type() == v1::COLUMN_INTEGER) {
    if (column.min().integer() == "0" && column.max().integer() == "1") return YesNo{one, zero};
    return std::nullopt;
  }
  if (column.type() != v1::COLUMN_TEXT || column.distinct() != 2 || column.top_size() != 2) return std::nullopt;
  const std::map<std::string, std::string> opposites = {{"yes", "no"}, {"true", "false"}, {"y", "n"}, {"t", "f"}};
  std::string first = column.top(0).value().text(), second = column.top(1).value().text();
  if (!opposites.contains(FoldCase(first))) std::swap(first, second);
  const auto opposite = opposites.find(FoldCase(first));
  if (opposite == opposites.end() || opposite->second != FoldCase(second)) return std::nullopt;
  return YesNo{{LiteralKind::kText, first}, {LiteralKind::kText, second}};
}

bool NamesThings(const v1::ColumnProfile& column) {
  if (column.type() == v1::COLUMN_TEXT) return true;
  const std::vector<std::string> words = NameWords(column.name());
  return column.type() == v1::COLUMN_INTEGER && !words.empty() &&
         (words.back() == "id" || words.back() == "zip" || words.back() == "code");
}

bool IsCalendarNumber(const v1::ColumnProfile& column) {
  const std::vector<std::string> words = NameWords(column.name());
  double low = 0, high = 0;
  if (!IsNumeric(column) || words.empty() || !absl::SimpleAtod(ValueText(column.min()), &low) ||
      !absl::SimpleAtod(ValueText(column.max()), &high)) {
    return false;
  }
  // "birth_year" is a year, "sales_per_year" is not.
  if (words.back() == "year" && (words.size() < 2 || words[words.size() - 2] != "per")) return low >= 1000 && high < 3000;
  if (words.size() != 1) return false;
  struct Count {
    std::string_view name;
    double least, most;
  };
  static constexpr Count kCounts[] = {{"month", 1, 12}, {"quarter", 1, 4}, {"week", 1, 53}, {"weekday", 0, 7}};
  return std::any_of(std::begin(kCounts), std::end(kCounts),
                     [&](const Count& count) { return count.name == words[0] && low >= count.least && high <= count.most; });
}

bool IsNamedYear(std::string_view name) { return NameWords(name) == std::vector<std::string>{"year"}; }

bool IsUniquePerRow(const v1::ColumnProfile& column, const v1::Profile& profile) {
  return column.distinct_is_exact() && column.nulls() == 0 && column.distinct() == profile.rows();
}

std::optional<std::pair<int, int>> YearsOf(const v1::ColumnProfile& column) {
  int first = 0, last = 0;
  if (!absl::SimpleAtoi(column.min().date().substr(0, 4), &first) ||
      !absl::SimpleAtoi(column.max().date().substr(0, 4), &last)) {
    return std::nullopt;
  }
  if (column.type() == v1::COLUMN_TIMESTAMPTZ) {
    if (column.min().date().substr(4, 6) == "-01-01") --first;
    if (column.max().date().substr(4, 6) == "-12-31") ++last;
  }
  return std::make_pair(first, last);
}

bool IsSameValue(std::string_view a, std::string_view b) {
  const auto trimmed = [](std::string_view text) {
    while (text.starts_with(" ")) text.remove_prefix(1);
    while (text.ends_with(" ")) text.remove_suffix(1);
    return text;
  };
  // As the engines fold: lib/plan/case_folding.h.
  const auto folded = [&](std::string_view text) {
    return absl::StrReplaceAll(FoldCase(trimmed(text)),
                               {{std::string(kDottedI), "i"}, {std::string(kFinalSigma), std::string(kSigma)}});
  };
  return folded(a) == folded(b);
}

std::vector<std::string> SpellingsOf(const v1::ColumnProfile& column, std::string_view value) {
  std::vector<std::string> result;
  for (const v1::TopValue& top : column.top()) {
    if (top.value().has_text() && IsSameValue(top.value().text(), value)) result.push_back(top.value().text());
  }
  return result;
}

std::string SpellingList(const std::vector<std::string>& spellings) {
  std::vector<std::string> quoted;
  for (const std::string& spelling : spellings) quoted.push_back(absl::StrCat("'", Excerpt(spelling, 60), "'"));
  return Enumerated(quoted);
}

std::string SpellingsApart(const v1::ColumnProfile& column) {
  for (const v1::Quirk& quirk : column.quirks()) {
    if (quirk.code() == "spellings" && !KnowsAllValues(column))
      return absl::StrCat("spellings of `", column.name(), "` are counted apart: ", quirk.detail());
  }
  std::vector<std::string> groups;
  for (const v1::TopValue& top : column.top()) {
    const std::vector<std::string> spellings = SpellingsOf(column, ValueText(top.value()));
    if (spellings.size() < 2 || spellings[0] != ValueText(top.value())) continue;
    groups.push_back(SpellingList(spellings));
  }
  if (groups.empty()) return "";
  return absl::StrCat(absl::StrJoin(groups, ", and "), " of `", column.name(), "` are counted apart");
}

bool KnowsAllValues(const v1::ColumnProfile& column) {
  return column.distinct_is_exact() && column.distinct() == column.top_size();
}

std::string_view TypeName(v1::ColumnType type) {
  switch (type) {
    case v1::COLUMN_INTEGER: return "whole numbers";
    case v1::COLUMN_REAL: return "numbers";
    case v1::COLUMN_BOOLEAN: return "true and false";
    case v1::COLUMN_DATE: return "dates";
    case v1::COLUMN_TIMESTAMP:
    case v1::COLUMN_TIMESTAMPTZ: return "timestamps";
    default: return "text";
  }
}

std::string ValueText(const v1::Value& value) {
  switch (value.kind_case()) {
    case v1::Value::kBoolean: return value.boolean() ? "true" : "false";
    case v1::Value::kInteger: return value.integer();
    case v1::Value::kNumber: return value.number();
    case v1::Value::kText: return value.text();
    case v1::Value::kDate: return value.date();
    default: return "";
  }
}

}  // namespace conclave::offline
