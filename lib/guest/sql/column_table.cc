#include "lib/guest/sql/column_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/text.h"
#include "lib/guest/sql/calendar.h"
#include "lib/guest/sql/column_module.h"

namespace conclave::guest {
namespace {

uint64_t RealKey(double value) {
  if (value == 0) value = 0;  // -0 equals 0
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

std::string QuotedName(std::string_view name) {
  std::string out = "\"";
  for (char c : name) {
    out.push_back(c);
    if (c == '"') out.push_back('"');
  }
  return out + "\"";
}

std::string_view DeclaredType(StoredType type) {
  switch (type) {
    case StoredType::kInteger:
    case StoredType::kBoolean: return "INTEGER";
    case StoredType::kReal: return "REAL";
    default: return "TEXT";
  }
}

}  // namespace

ValueType ValueTypeOf(StoredType type) {
  switch (type) {
    case StoredType::kInteger: return ValueType::kInteger;
    case StoredType::kReal: return ValueType::kReal;
    case StoredType::kBoolean: return ValueType::kBoolean;
    case StoredType::kText: return ValueType::kText;
    case StoredType::kDate: return ValueType::kDate;
    case StoredType::kTimestamp: return ValueType::kTimestamp;
    case StoredType::kTimestampTz: return ValueType::kInstant;
  }
  return ValueType::kText;
}

ColumnTable::ColumnTable(std::string name, ColumnStoreView store)
    : name_(std::move(name)),
      store_(std::move(store)),
      used_(store_.columns()),
      lookups_(store_.columns()),
      indexes_(store_.columns()) {}

KnownTable ColumnTable::Known() const {
  KnownTable table;
  table.name = name_;
  for (size_t i = 0; i < store_.columns(); ++i) {
    table.columns.push_back({std::string(store_.column(i).name()), ValueTypeOf(store_.column(i).type())});
  }
  return table;
}

absl::Status ColumnTable::Attach(sqlite3* db, const std::set<std::string>& named) {
  if (store_.columns() == 0)
    return absl::InvalidArgumentError(absl::StrCat("table \"", Excerpt(name_, 60), "\" has no columns"));
  const bool all = store_.columns() <= size_t{kMostColumns};
  std::string declaration = "CREATE TABLE x(";
  std::set<std::string> taken;
  declared_.clear();
  for (size_t i = 0; i < store_.columns(); ++i) {
    std::string column(store_.column(i).name());
    const std::string folded = absl::AsciiStrToLower(column);
    if (!all && !named.contains(folded)) continue;
    // SQLite compares names without case. A second name of the same letters gets a number here; the check calls it ambiguous.
    if (!taken.insert(folded).second) column += absl::StrCat(" #", i + 1);
    absl::StrAppend(&declaration, declared_.empty() ? "" : ", ", QuotedName(column), " ",
                    std::string(DeclaredType(store_.column(i).type())));
    declared_.push_back(i);
  }
  if (declared_.size() > size_t{kMostColumns}) {
    return absl::OutOfRangeError(absl::StrCat("the statement names ", declared_.size(), " columns of table \"",
                                              Excerpt(name_, 60), "\", and at most ", kMostColumns, " can be read at once"));
  }
  if (declared_.empty()) {  // "SELECT count(*)" names none
    absl::StrAppend(&declaration, QuotedName(store_.column(0).name()), " ", std::string(DeclaredType(store_.column(0).type())));
    declared_.push_back(0);
  }
  return AddColumnModule(db, this, declaration + ")");
}

std::vector<std::string> ColumnTable::UsedColumns() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < used_.size(); ++i) {
    if (used_[i]) names.emplace_back(store_.column(i).name());
  }
  return names;
}

void ColumnTable::MarkUsed(sqlite3_uint64 mask) {
  for (size_t i = 0; i < declared_.size() && i < 63; ++i) {
    if ((mask >> i & 1) != 0) used_[declared_[i]] = true;
  }
}

uint64_t ColumnTable::RowKey(size_t column, uint64_t row) const {
  const ColumnView& view = store_.column(column);
  switch (view.type()) {
    case StoredType::kReal: return RealKey(view.Real(row));
    case StoredType::kBoolean: return view.Boolean(row) ? 1 : 0;
    case StoredType::kText:
      if (view.layout() == StoredLayout::kDictionary) return static_cast<uint64_t>(static_cast<int64_t>(view.Code(row)));
      return std::hash<std::string_view>()(view.Text(row));
    default: return static_cast<uint64_t>(view.Integer(row));
  }
}

ColumnTable::Lookup ColumnTable::KeyFor(size_t column, sqlite3_value* value) const {
  using enum Lookup::Outcome;
  const ColumnView& view = store_.column(column);
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) return {kNoRow};
  const bool number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
  switch (view.type()) {
    case StoredType::kInteger:
    case StoredType::kBoolean: {
      if (type == SQLITE_INTEGER) return {kKey, static_cast<uint64_t>(sqlite3_value_int64(value))};
      if (type != SQLITE_FLOAT) return {kUnknown};
      const double real = sqlite3_value_double(value);
      if (!(std::abs(real) < 9.2e18) || real != std::floor(real)) return {kNoRow};
      return {kKey, static_cast<uint64_t>(static_cast<int64_t>(real))};
    }
    case StoredType::kReal:
      if (!number) return {kUnknown};
      return {kKey, RealKey(sqlite3_value_double(value))};
    case StoredType::kText: {
      if (type != SQLITE_TEXT) return {kUnknown};
      const std::string_view text = TextOf(value);
      if (view.layout() != StoredLayout::kDictionary) return {kKey, std::hash<std::string_view>()(text)};
      uint64_t low = 0;
      for (uint64_t high = view.entries(); low < high;) {
        const uint64_t middle = low + (high - low) / 2;
        if (view.Entry(middle) < text) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low < view.entries() && view.Entry(low) == text ? Lookup{kKey, low} : Lookup{kNoRow};
    }
    default: {
      if (type != SQLITE_TEXT) return {kUnknown};
      const std::optional<Point> point = ParsePoint(TextOf(value));
      if (!point || FormatPoint(*point) != TextOf(value)) return {kUnknown};
      return {kKey, static_cast<uint64_t>(point->micros)};
    }
  }
}

const ColumnTable::RowList* ColumnTable::IndexOf(size_t column) {
  if (indexes_[column]) return &*indexes_[column];
  if (++lookups_[column] < 2 || store_.rows() > std::numeric_limits<uint32_t>::max()) return nullptr;
  RowList rows;
  const ColumnView& view = store_.column(column);
  rows.reserve(store_.rows() - std::min(view.null_count(), store_.rows()));
  for (uint64_t row = 0; row < store_.rows(); ++row) {
    if (!view.IsNull(row)) rows.push_back(static_cast<uint32_t>(row));
  }
  std::sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    const uint64_t x = RowKey(column, a);
    const uint64_t y = RowKey(column, b);
    return x != y ? x < y : a < b;
  });
  indexes_[column] = std::move(rows);
  return &*indexes_[column];
}

double ColumnTable::RowsPerValue(size_t column) const {
  const ColumnView& view = store_.column(column);
  const double rows = static_cast<double>(store_.rows());
  if (view.type() == StoredType::kBoolean) return rows / 2 + 1;
  if (view.layout() == StoredLayout::kDictionary) return rows / static_cast<double>(std::max<uint64_t>(1, view.entries())) + 1;
  return std::sqrt(rows) / 10 + 1;
}

}  // namespace conclave::guest
