// Tables: small tables in files, with the profile that reading them gives, for tests of everything that works from profiles.
//
// A file's first line names its columns as "name:type"; cells are plain (no quotes), and an empty cell is missing.
#ifndef CONCLAVE_TESTS_SUPPORT_TABLES_H_
#define CONCLAVE_TESTS_SUPPORT_TABLES_H_

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conclave/v1/profile.pb.h"

namespace conclave::tests {

struct Table {
  v1::Profile profile;
  std::vector<std::vector<std::string>> rows;
};

inline v1::ColumnType TypeOfWord(const std::string& word) {
  if (word == "integer") return v1::COLUMN_INTEGER;
  if (word == "real") return v1::COLUMN_REAL;
  if (word == "boolean") return v1::COLUMN_BOOLEAN;
  if (word == "date") return v1::COLUMN_DATE;
  if (word == "timestamp") return v1::COLUMN_TIMESTAMP;
  if (word == "timestamptz") return v1::COLUMN_TIMESTAMPTZ;
  return v1::COLUMN_TEXT;
}

inline v1::Value ValueOf(v1::ColumnType type, const std::string& cell) {
  v1::Value value;
  switch (type) {
    case v1::COLUMN_INTEGER: value.set_integer(cell); break;
    case v1::COLUMN_REAL: value.set_number(cell); break;
    case v1::COLUMN_BOOLEAN: value.set_boolean(cell == "true"); break;
    case v1::COLUMN_DATE:
    case v1::COLUMN_TIMESTAMP:
    case v1::COLUMN_TIMESTAMPTZ: value.set_date(cell); break;
    default: value.set_text(cell);
  }
  return value;
}

inline void FillColumn(v1::ColumnProfile* column, const std::vector<std::string>& cells) {
  std::map<std::string, int64_t> counts;
  for (const std::string& cell : cells) {
    if (cell.empty()) {
      column->set_nulls(column->nulls() + 1);
    } else {
      ++counts[cell];
    }
  }
  column->set_distinct(static_cast<int64_t>(counts.size()));
  column->set_distinct_is_exact(true);
  std::vector<std::pair<std::string, int64_t>> ranked(counts.begin(), counts.end());
  const bool numeric = column->type() == v1::COLUMN_INTEGER || column->type() == v1::COLUMN_REAL;
  const auto less = [&](const auto& a, const auto& b) {
    return numeric ? std::atof(a.first.c_str()) < std::atof(b.first.c_str()) : a.first < b.first;
  };
  if (!ranked.empty()) {
    *column->mutable_min() = ValueOf(column->type(), std::min_element(ranked.begin(), ranked.end(), less)->first);
    *column->mutable_max() = ValueOf(column->type(), std::max_element(ranked.begin(), ranked.end(), less)->first);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  for (size_t i = 0; i < ranked.size() && i < 8; ++i) {
    v1::TopValue* top = column->add_top();
    *top->mutable_value() = ValueOf(column->type(), ranked[i].first);
    top->set_count(ranked[i].second);
  }
}

inline Table ParseTable(const std::string& name, const std::string& text) {
  Table table;
  table.profile.set_name(name);
  table.profile.set_source(name + ".csv");
  std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  const std::vector<std::string> header = absl::StrSplit(lines[0], ',');
  for (size_t i = 1; i < lines.size(); ++i) table.rows.push_back(absl::StrSplit(lines[i], ','));
  table.profile.set_rows(static_cast<int64_t>(table.rows.size()));
  for (size_t i = 0; i < header.size(); ++i) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(header[i], absl::MaxSplits(':', 1));
    v1::ColumnProfile* column = table.profile.add_columns();
    column->set_name(parts.first);
    column->set_label(parts.first);
    column->set_type(TypeOfWord(parts.second));
    std::vector<std::string> cells;
    for (const auto& row : table.rows) cells.push_back(row[i]);
    FillColumn(column, cells);
  }
  return table;
}

// "titanic", "sales", "weather" or "cars" from tests/persona/tables.
inline Table LoadTable(const std::string& name) {
  std::ifstream file(std::string(CONCLAVE_SOURCE_DIR) + "/tests/persona/tables/" + name + ".csv");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return ParseTable(name, text);
}

}  // namespace conclave::tests

#endif  // CONCLAVE_TESTS_SUPPORT_TABLES_H_
