#include "lib/answer/canonical.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/answer/date_reading.h"
#include "lib/answer/grid.h"
#include "lib/answer/quantity.h"
#include "lib/answer/scalar_compare.h"
#include "lib/answer/text_folding.h"

namespace conclave {
namespace {

constexpr char kNullMark[] = "~";

// Length first, so that no content can look like structure.
std::string Part(const std::string& text) { return absl::StrCat(text.size(), ":", text); }

std::string NumberText(const v1::Value& value, const NumberClaims& claims, const ComparisonContext& context) {
  const std::optional<Quantity> quantity = ReadQuantity(value, claims, context);
  if (!quantity) return kNullMark;
  switch (quantity->special) {
    case Quantity::Special::kNotANumber: return kNullMark;
    case Quantity::Special::kInfinite: return "n:inf";
    case Quantity::Special::kMinusInfinite: return "n:-inf";
    case Quantity::Special::kFinite: break;
  }
  const std::string& dimension = quantity->unit.dimension;
  if (dimension.empty() || !quantity->comparable_in_base()) return absl::StrCat("n:", quantity->shown.Text());
  return absl::StrCat("n:", quantity->base().Text(), dimension == "ratio" ? "" : Part(dimension));
}

class Writer {
 public:
  Writer(const NumberClaims& claims, const ComparisonContext& context)
      : claims_(claims), context_(context), labels_(context.column_has) {}

  std::string Text(const v1::Value& value) const {
    if (IsMissing(value)) return kNullMark;
    switch (value.kind_case()) {
      case v1::Value::kBoolean: return value.boolean() ? "b:1" : "b:0";
      case v1::Value::kInteger:
      case v1::Value::kNumber: return NumberText(value, claims_, context_);
      case v1::Value::kText: return absl::StrCat("t:", Part(labels_.Canonical(value.text())));
      case v1::Value::kDate: return absl::StrCat("d:", DateKey(value, context_).value_or(value.date()));
      default: return GridText(value, false);
    }
  }

  std::string GridText(const v1::Value& value, bool ordered) const {
    Grid grid = *Grid::From(value, claims_);
    if (std::optional<size_t> index = grid.IndexColumn()) grid = grid.Without(*index);
    std::vector<std::pair<std::string, size_t>> columns;
    for (size_t i = 0; i < grid.width(); ++i) columns.emplace_back(FoldText(grid.columns[i]), i);
    std::sort(columns.begin(), columns.end());
    std::vector<std::string> rows;
    rows.reserve(grid.height());
    for (const auto& cells : grid.rows) {
      std::string& row = rows.emplace_back();
      for (const auto& [name, place] : columns) row += Part(Text(*cells[place]));
    }
    if (!ordered) std::sort(rows.begin(), rows.end());
    std::string text = "[";
    for (const auto& [name, place] : columns) text += Part(name);
    for (const std::string& row : rows) absl::StrAppend(&text, ";", row);
    return text + "]";
  }

 private:
  const NumberClaims& claims_;
  const ComparisonContext& context_;
  LabelRule labels_;
};

}  // namespace

std::string CanonicalText(const v1::Value& value, const ComparisonContext& context) {
  const NumberClaims claims;
  return Writer(claims, context).Text(value);
}

std::string CanonicalAnswer(const v1::Answer& answer, const ComparisonContext& context) {
  switch (answer.kind()) {
    case v1::ANSWER_KIND_UNSPECIFIED: return "none";
    case v1::ERROR: return "error";
    case v1::DECLINED: return "declined";
    case v1::EMPTY: return "empty";
    case v1::UNDEFINED: return kNullMark;
    default: break;
  }
  const NumberClaims claims{answer.unit(), {}};
  const Writer writer(claims, context);
  const v1::Value& value = Unwrap(answer.value());
  if (value.has_list() || value.has_map() || value.has_table()) {
    return writer.GridText(answer.value(), context.ordered.value_or(answer.ordered()));
  }
  return writer.Text(value);
}

}  // namespace conclave
