#include "lib/answer/grid.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/answer/text_folding.h"

namespace conclave {
namespace {

const v1::Value& MissingCell() { return v1::Value::default_instance(); }

// A list of lists of one length.
std::optional<Grid> FromRows(const v1::ValueList& list) {
  if (list.items().empty() || !list.items(0).has_list() || list.items(0).list().items().empty()) return std::nullopt;
  Grid grid;
  grid.columns.resize(static_cast<size_t>(list.items(0).list().items_size()));
  for (const v1::Value& item : list.items()) {
    if (!item.has_list() || static_cast<size_t>(item.list().items_size()) != grid.width()) return std::nullopt;
    std::vector<const v1::Value*>& row = grid.rows.emplace_back();
    for (const v1::Value& cell : item.list().items()) row.push_back(&cell);
  }
  return grid;
}

// A list of maps with the same text keys.
std::optional<Grid> FromRecords(const v1::ValueList& list) {
  if (list.items().empty() || !list.items(0).has_map() || list.items(0).map().entries().empty()) return std::nullopt;
  Grid grid;
  std::map<std::string_view, size_t> places;
  for (const v1::ValueMap::Entry& entry : list.items(0).map().entries()) {
    if (!entry.key().has_text() || !places.emplace(entry.key().text(), grid.width()).second) return std::nullopt;
    grid.columns.push_back(entry.key().text());
  }
  for (const v1::Value& item : list.items()) {
    if (!item.has_map() || static_cast<size_t>(item.map().entries_size()) != grid.width()) return std::nullopt;
    std::vector<const v1::Value*> row(grid.width(), nullptr);
    for (const v1::ValueMap::Entry& entry : item.map().entries()) {
      const auto place = entry.key().has_text() ? places.find(entry.key().text()) : places.end();
      if (place == places.end() || row[place->second] != nullptr) return std::nullopt;
      row[place->second] = &entry.value();
    }
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

Grid FromList(const v1::ValueList& list) {
  if (std::optional<Grid> rows = FromRows(list)) return *std::move(rows);
  if (std::optional<Grid> records = FromRecords(list)) return *std::move(records);
  Grid grid;
  grid.columns.resize(1);
  for (const v1::Value& item : list.items()) grid.rows.push_back({&item});
  return grid;
}

Grid FromMap(const v1::ValueMap& map) {
  Grid grid;
  grid.columns.resize(2);
  for (const v1::ValueMap::Entry& entry : map.entries()) {
    grid.rows.push_back({entry.has_key() ? &entry.key() : &MissingCell(), entry.has_value() ? &entry.value() : &MissingCell()});
  }
  return grid;
}

Grid FromTable(const v1::ValueTable& table) {
  Grid grid;
  grid.columns.assign(table.columns().begin(), table.columns().end());
  grid.rows.reserve(static_cast<size_t>(table.rows_size()));
  for (const v1::ValueTable::Row& source : table.rows()) {
    std::vector<const v1::Value*>& row = grid.rows.emplace_back(grid.width(), &MissingCell());
    for (size_t i = 0; i < grid.width() && i < static_cast<size_t>(source.cells_size()); ++i) {
      row[i] = &source.cells(static_cast<int>(i));
    }
  }
  return grid;
}

bool NamesAnIndex(const std::string& name) {
  static constexpr std::array<std::string_view, 9> kNames = {"",       "index", "level_0", "row",   "row_number",
                                                             "row_id", "#",     "no",      "rownum"};
  const std::string folded = FoldText(name);
  return folded.starts_with("unnamed:") || std::find(kNames.begin(), kNames.end(), folded) != kNames.end();
}

}  // namespace

std::optional<Grid> Grid::From(const v1::Value& value, const NumberClaims& claims) {
  std::optional<Grid> grid;
  if (value.has_list()) grid = FromList(value.list());
  if (value.has_map()) grid = FromMap(value.map());
  if (value.has_table()) grid = FromTable(value.table());
  if (grid) grid->claims = claims;
  return grid;
}

std::optional<Grid> Grid::RowOf(const v1::Value& value, const NumberClaims& claims) {
  if (!value.has_map()) return std::nullopt;
  Grid grid;
  grid.claims = claims;
  grid.rows.emplace_back();
  for (const v1::ValueMap::Entry& entry : value.map().entries()) {
    if (!entry.key().has_text()) return std::nullopt;
    grid.columns.push_back(entry.key().text());
    grid.rows[0].push_back(entry.has_value() ? &entry.value() : &MissingCell());
  }
  return grid;
}

Grid Grid::Without(size_t column) const {
  Grid grid;
  grid.claims = claims;
  grid.columns = columns;
  grid.columns.erase(grid.columns.begin() + static_cast<std::ptrdiff_t>(column));
  grid.rows = rows;
  for (std::vector<const v1::Value*>& row : grid.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  return grid;
}

std::optional<size_t> Grid::IndexColumn() const {
  for (size_t column = 0; column < width() && width() > 1; ++column) {
    if (!NamesAnIndex(columns[column])) continue;
    const bool from_one = height() > 0 && rows[0][column]->integer() == "1";
    size_t row = 0;
    while (row < height() && rows[row][column]->has_integer() &&
           rows[row][column]->integer() == absl::StrCat(row + (from_one ? 1 : 0))) {
      ++row;
    }
    if (row == height()) return column;
  }
  return std::nullopt;
}

const v1::Value& Unwrap(const v1::Value& value) {
  if (value.has_list() && value.list().items_size() == 1) return Unwrap(value.list().items(0));
  if (value.has_map() && value.map().entries_size() == 1) return Unwrap(value.map().entries(0).value());
  if (value.has_table() && value.table().rows_size() == 1 && value.table().rows(0).cells_size() == 1) {
    return Unwrap(value.table().rows(0).cells(0));
  }
  return value;
}

}  // namespace conclave
