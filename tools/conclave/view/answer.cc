#include "tools/conclave/view/answer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/answer/display.h"
#include "lib/base/text.h"
#include "tools/conclave/units.h"
#include "tools/conclave/view/layout.h"
#include "tools/conclave/view/text_table.h"

namespace conclave::cli {
namespace {

constexpr int kRows = 100;
constexpr size_t kTextBytes = 400;

bool IsNumeric(const v1::Value& value) {
  return value.kind_case() == v1::Value::kInteger || value.kind_case() == v1::Value::kNumber ||
         value.kind_case() == v1::Value::kNull;
}

// Rows of cells however the value is shaped.
struct Grid {
  std::vector<std::string> titles;
  std::vector<std::vector<const v1::Value*>> rows;
};

Grid GridOf(const v1::Value& value) {
  Grid grid;
  switch (value.kind_case()) {
    case v1::Value::kList:
      grid.titles = {""};
      for (const v1::Value& item : value.list().items()) grid.rows.push_back({&item});
      break;
    case v1::Value::kMap:
      grid.titles = {"", ""};
      for (const auto& entry : value.map().entries()) grid.rows.push_back({&entry.key(), &entry.value()});
      break;
    case v1::Value::kTable:
      grid.titles.assign(value.table().columns().begin(), value.table().columns().end());
      for (const auto& row : value.table().rows()) {
        std::vector<const v1::Value*>& cells = grid.rows.emplace_back();
        for (const v1::Value& cell : row.cells()) cells.push_back(&cell);
      }
      break;
    default: break;
  }
  return grid;
}

// Decimals that let the points of a column stand below each other: the most that any of its numbers is shown with. Where one
// is the rounded result of a calculation, all are, and have no more decimals than such results are shown with. Nothing where
// one is shown with an exponent or is no finite number.
std::optional<int> ColumnDecimals(const Grid& grid, size_t column, size_t rows, bool is_cell) {
  int most = 0, rounded = -1;
  for (size_t r = 0; r < rows; ++r) {
    if (column >= grid.rows[r].size() || !grid.rows[r][column]->has_number()) continue;
    const std::string text = ShowValue(*grid.rows[r][column], std::nullopt, is_cell);
    if (text.find_first_not_of("+-.0123456789") != std::string::npos) return std::nullopt;
    const size_t point = text.find('.');
    const int places = point == std::string::npos ? 0 : static_cast<int>(text.size() - point - 1);
    most = std::max(most, places);
    if (!is_cell && IsShownRounded(grid.rows[r][column]->number())) rounded = std::max(rounded, places);
  }
  return rounded >= 0 ? rounded : most;
}

std::string RenderGrid(const v1::Answer& answer, const View& view) {
  const Grid grid = GridOf(answer.value());
  const size_t shown = std::min<size_t>(grid.rows.size(), kRows);
  std::vector<TextTable::Column> columns;
  for (size_t i = 0; i < grid.titles.size(); ++i) {
    const bool numeric = std::all_of(grid.rows.begin(), grid.rows.begin() + static_cast<std::ptrdiff_t>(shown),
                                     [i](const auto& row) { return i >= row.size() || IsNumeric(*row[i]); });
    columns.push_back({grid.titles[i], numeric ? Align::kRight : Align::kLeft});
  }
  const bool is_cell = IsOfCells(answer);
  TextTable table(std::move(columns));
  std::vector<std::optional<int>> decimals;
  for (size_t i = 0; i < grid.titles.size(); ++i) {
    decimals.push_back(answer.has_decimals() ? std::optional<int>(answer.decimals()) : ColumnDecimals(grid, i, shown, is_cell));
  }
  for (size_t r = 0; r < shown; ++r) {
    std::vector<std::string> cells;
    for (size_t i = 0; i < std::min(grid.rows[r].size(), decimals.size()); ++i) {
      cells.push_back(ShowValue(*grid.rows[r][i], decimals[i], is_cell));
    }
    table.Add(cells);
  }
  const Paint paint(view.colour);
  std::string text = table.Render(paint, view.width);
  if (!answer.unit().empty()) text += paint.Dim(absl::StrCat("(in ", Excerpt(answer.unit(), 40), ")")) + "\n";
  if (shown < grid.rows.size()) {
    const int64_t hidden = static_cast<int64_t>(grid.rows.size() - shown);
    text += paint.Dim(absl::StrCat("(", Counted(hidden, "more row", "more rows"), "; --json has all)")) + "\n";
  }
  return text;
}

}  // namespace

std::string ShowValue(const v1::Value& value, std::optional<int> decimals, bool is_cell) {
  switch (value.kind_case()) {
    case v1::Value::kBoolean: return value.boolean() ? "yes" : "no";
    case v1::Value::kInteger: return Excerpt(value.integer(), 60);
    case v1::Value::kNumber: return DisplayNumber(value.number(), decimals.value_or(-1), is_cell);
    case v1::Value::kText: return ExcerptOfCell(value.text(), kTextBytes);
    case v1::Value::kDate: return Excerpt(value.date(), 40);
    case v1::Value::kList: {
      std::vector<std::string> items;
      for (const v1::Value& item : value.list().items()) {
        if (items.size() == 10) {
          items.push_back("...");
          break;
        }
        items.push_back(item.has_list() || item.has_map() || item.has_table() ? "[...]" : ShowValue(item, decimals, is_cell));
      }
      return absl::StrCat("[", absl::StrJoin(items, ", "), "]");
    }
    case v1::Value::kMap: return absl::StrCat("{", Counted(value.map().entries_size(), "entry", "entries"), "}");
    case v1::Value::kTable: return absl::StrCat("table of ", Counted(value.table().rows_size(), "row", "rows"));
    case v1::Value::kNull:
    case v1::Value::KIND_NOT_SET: break;
  }
  return "(missing)";
}

bool IsTabular(const v1::Answer& answer) {
  return answer.value().has_list() || answer.value().has_map() || answer.value().has_table();
}

std::string RenderAnswer(const v1::Answer& answer, const View& view) {
  switch (answer.kind()) {
    case v1::ANSWER_KIND_UNSPECIFIED: return "(no answer)\n";
    case v1::EMPTY: return "(nothing: no rows match)\n";
    case v1::UNDEFINED: return "(undefined: the quantity does not exist for this data)\n";
    case v1::DECLINED: return Paragraph("", absl::StrCat("(declined: ", Excerpt(answer.reason(), kTextBytes), ")"), view.width);
    case v1::ERROR: {
      const v1::ProgramError& error = answer.error();
      std::string text =
          absl::StrCat(error.type().empty() ? "error" : Excerpt(error.type(), 80), ": ", Excerpt(error.message(), 1000));
      if (error.line() > 0) absl::StrAppend(&text, " (line ", error.line(), ": ", Excerpt(error.source_line(), 120), ")");
      return Paragraph("", text, view.width);
    }
    default: break;
  }
  if (IsTabular(answer)) return RenderGrid(answer, view);
  std::string text = ShowValue(answer.value(), answer.has_decimals() ? std::optional<int>(answer.decimals()) : std::nullopt,
                               IsOfCells(answer));
  if (answer.unit() == "percent") {
    text += " %";
  } else if (!answer.unit().empty()) {
    text += " " + Excerpt(answer.unit(), 40);
  }
  return text + "\n";
}

}  // namespace conclave::cli
