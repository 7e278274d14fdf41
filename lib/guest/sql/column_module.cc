#include "lib/guest/sql/column_module.h"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/text.h"
#include "lib/guest/sql/calendar.h"
#include "lib/guest/sql/column_table.h"

namespace conclave::guest {
namespace {

// What SQLite's planner and the scan agree on: bits of idxNum; with kByValue the store's column is in the bits above.
enum Plan { kFrom = 1, kBeyond = 2, kUpTo = 4, kBelow = 8, kExactRow = 16, kByValue = 32, kColumnShift = 8 };

struct ModuleArgument {
  ColumnTable* table;
  std::string declaration;
};

struct VirtualTable {
  sqlite3_vtab base;  // first: SQLite knows only this part
  ColumnTable* table;
};

struct Cursor {
  sqlite3_vtab_cursor base;  // first: SQLite knows only this part
  ColumnTable* table;
  uint64_t row = 0;
  uint64_t end = 0;
  // A scan for one value: over the index when there is one, else over all rows.
  bool by_value = false;
  size_t column = 0;
  uint64_t key = 0;
  const ColumnTable::RowList* index = nullptr;
  uint64_t at = 0;
};

int Connect(sqlite3* db, void* aux, int, const char* const*, sqlite3_vtab** out, char** error) {
  const auto& argument = *static_cast<const ModuleArgument*>(aux);
  const int code = sqlite3_declare_vtab(db, argument.declaration.c_str());
  if (code != SQLITE_OK) {
    *error = sqlite3_mprintf("%s", sqlite3_errmsg(db));
    return code;
  }
  sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
  auto* table = new (std::nothrow) VirtualTable{};
  if (table == nullptr) return SQLITE_NOMEM;
  table->table = argument.table;
  *out = &table->base;
  return SQLITE_OK;
}

int Disconnect(sqlite3_vtab* base) {
  delete reinterpret_cast<VirtualTable*>(base);
  return SQLITE_OK;
}

// The cheapest column that is compared for equality; -1 for none.
int BestEquality(const ColumnTable& table, const sqlite3_index_info& plan) {
  int best = -1;
  for (int i = 0; i < plan.nConstraint; ++i) {
    const auto& one = plan.aConstraint[i];
    if (one.usable == 0 || one.op != SQLITE_INDEX_CONSTRAINT_EQ || one.iColumn < 0) continue;
    const auto rows = [&](int at) {
      return table.RowsPerValue(table.StoreColumn(static_cast<size_t>(plan.aConstraint[at].iColumn)));
    };
    if (best < 0 || rows(i) < rows(best)) best = i;
  }
  return best;
}

int PlanRowRange(sqlite3_index_info* plan) {
  int bits = 0;
  int arguments = 0;
  for (int i = 0; i < plan->nConstraint; ++i) {
    const auto& one = plan->aConstraint[i];
    if (one.usable == 0 || one.iColumn >= 0) continue;
    int bit = 0;
    switch (one.op) {
      case SQLITE_INDEX_CONSTRAINT_EQ: bit = kExactRow; break;
      case SQLITE_INDEX_CONSTRAINT_GE: bit = kFrom; break;
      case SQLITE_INDEX_CONSTRAINT_GT: bit = kBeyond; break;
      case SQLITE_INDEX_CONSTRAINT_LE: bit = kUpTo; break;
      case SQLITE_INDEX_CONSTRAINT_LT: bit = kBelow; break;
      default: break;
    }
    // Arguments come to the scan in the order of the bits, so that one of each kind is enough to tell them apart.
    if (bit == 0 || bits >= bit) continue;
    bits |= bit;
    plan->aConstraintUsage[i].argvIndex = ++arguments;
  }
  return bits;
}

int BestIndex(sqlite3_vtab* base, sqlite3_index_info* plan) {
  ColumnTable& table = *reinterpret_cast<VirtualTable*>(base)->table;
  table.MarkUsed(plan->colUsed);
  const double rows = static_cast<double>(table.store().rows());
  if (const int best = BestEquality(table, *plan); best >= 0) {
    const size_t column = table.StoreColumn(static_cast<size_t>(plan->aConstraint[best].iColumn));
    plan->aConstraintUsage[best].argvIndex = 1;
    plan->idxNum = kByValue | static_cast<int>(column << kColumnShift);
    const double matching = std::min(table.RowsPerValue(column), rows + 1);
    plan->estimatedRows = static_cast<sqlite3_int64>(matching);
    plan->estimatedCost = matching + 20;
    return SQLITE_OK;
  }
  plan->idxNum = PlanRowRange(plan);
  const double share = plan->idxNum == 0 ? 1 : plan->idxNum == kExactRow ? 0 : 0.25;
  plan->estimatedRows = static_cast<sqlite3_int64>(rows * share) + 1;
  plan->estimatedCost = rows * share + 1;
  if (plan->nOrderBy == 1 && plan->aOrderBy[0].iColumn < 0 && plan->aOrderBy[0].desc == 0) plan->orderByConsumed = 1;
  return SQLITE_OK;
}

int Open(sqlite3_vtab* base, sqlite3_vtab_cursor** out) {
  auto* cursor = new (std::nothrow) Cursor{};
  if (cursor == nullptr) return SQLITE_NOMEM;
  cursor->table = reinterpret_cast<VirtualTable*>(base)->table;
  *out = &cursor->base;
  return SQLITE_OK;
}

int Close(sqlite3_vtab_cursor* base) {
  delete reinterpret_cast<Cursor*>(base);
  return SQLITE_OK;
}

// Moves on to a row that has the value, from where the cursor stands.
void SkipToValue(Cursor* cursor) {
  if (!cursor->by_value) return;
  if (cursor->index != nullptr) {
    const auto& rows = *cursor->index;
    const bool more = cursor->at < rows.size() && cursor->table->RowKey(cursor->column, rows[cursor->at]) == cursor->key;
    cursor->row = more ? rows[cursor->at] : cursor->end;
    return;
  }
  const ColumnView& view = cursor->table->store().column(cursor->column);
  while (cursor->row < cursor->end &&
         (view.IsNull(cursor->row) || cursor->table->RowKey(cursor->column, cursor->row) != cursor->key)) {
    ++cursor->row;
  }
}

int StartByValue(Cursor* cursor, size_t column, sqlite3_value* value) {
  const ColumnTable::Lookup lookup = cursor->table->KeyFor(column, value);
  if (lookup.outcome == ColumnTable::Lookup::Outcome::kUnknown) return SQLITE_OK;
  if (lookup.outcome == ColumnTable::Lookup::Outcome::kNoRow) {
    cursor->row = cursor->end;
    return SQLITE_OK;
  }
  cursor->by_value = true;
  cursor->column = column;
  cursor->key = lookup.key;
  try {
    cursor->index = cursor->table->IndexOf(column);
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
  if (cursor->index != nullptr) {
    const auto& rows = *cursor->index;
    const auto first = std::partition_point(rows.begin(), rows.end(),
                                            [&](uint32_t row) { return cursor->table->RowKey(column, row) < lookup.key; });
    cursor->at = static_cast<uint64_t>(first - rows.begin());
  }
  SkipToValue(cursor);
  return SQLITE_OK;
}

// One bound of a row range. Row numbers begin at 0; SQLite compares again, so a bound that is no integer may be left out.
void Narrow(Cursor* cursor, int bit, sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_INTEGER) return;
  const int64_t bound = sqlite3_value_int64(value);
  const int64_t rows = static_cast<int64_t>(cursor->end);
  int64_t from = static_cast<int64_t>(cursor->row);
  int64_t end = rows;
  if (bit == kFrom || bit == kExactRow) from = std::max(from, bound);
  if (bit == kBeyond) from = std::max(from, bound >= rows ? rows : bound + 1);
  if (bit == kUpTo || bit == kExactRow) end = bound >= rows ? rows : bound + 1;
  if (bit == kBelow) end = bound;
  cursor->end = static_cast<uint64_t>(std::clamp<int64_t>(end, 0, rows));
  cursor->row = static_cast<uint64_t>(std::clamp<int64_t>(from, 0, static_cast<int64_t>(cursor->end)));
}

int Filter(sqlite3_vtab_cursor* base, int plan, const char*, int count, sqlite3_value** values) {
  auto* cursor = reinterpret_cast<Cursor*>(base);
  ColumnTable* table = cursor->table;
  *cursor = Cursor{cursor->base, table};
  cursor->end = table->store().rows();
  if ((plan & kByValue) != 0 && count == 1) return StartByValue(cursor, static_cast<size_t>(plan >> kColumnShift), values[0]);
  int next = 0;
  for (int bit : {kFrom, kBeyond, kUpTo, kBelow, kExactRow}) {
    if ((plan & bit) != 0 && next < count) Narrow(cursor, bit, values[next++]);
  }
  return SQLITE_OK;
}

int Next(sqlite3_vtab_cursor* base) {
  auto* cursor = reinterpret_cast<Cursor*>(base);
  ++cursor->row;
  ++cursor->at;
  SkipToValue(cursor);
  return SQLITE_OK;
}

int AtEnd(sqlite3_vtab_cursor* base) {
  const auto* cursor = reinterpret_cast<Cursor*>(base);
  return cursor->row >= cursor->end ? 1 : 0;
}

void GivePointOf(sqlite3_context* context, PointKind kind, int64_t micros) {
  if (micros < kFirstMicros || micros > kLastMicros)
    return GiveError(context, "a date in the data lies outside the years 0001 to 9999");
  GiveText(context, FormatPoint({kind, micros}));
}

int Column(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) {
  const auto* cursor = reinterpret_cast<Cursor*>(base);
  if (index < 0 || static_cast<size_t>(index) >= cursor->table->declared()) return SQLITE_ERROR;
  const size_t column = cursor->table->StoreColumn(static_cast<size_t>(index));
  if (index >= 63) cursor->table->MarkUsed(column);
  const ColumnView& view = cursor->table->store().column(column);
  const uint64_t row = cursor->row;
  if (view.IsNull(row)) return SQLITE_OK;  // NULL unless a result is given
  switch (view.type()) {
    case StoredType::kInteger: sqlite3_result_int64(context, view.Integer(row)); break;
    case StoredType::kReal: sqlite3_result_double(context, view.Real(row)); break;
    case StoredType::kBoolean: sqlite3_result_int(context, view.Boolean(row) ? 1 : 0); break;
    case StoredType::kText: {
      const std::string_view text = view.Text(row);
      // The mapping outlives the connection, so SQLite need not copy.
      sqlite3_result_text64(context, text.empty() ? "" : text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
      break;
    }
    case StoredType::kDate: GivePointOf(context, PointKind::kDate, view.Integer(row)); break;
    case StoredType::kTimestamp: GivePointOf(context, PointKind::kTimestamp, view.Integer(row)); break;
    case StoredType::kTimestampTz: GivePointOf(context, PointKind::kInstant, view.Integer(row)); break;
  }
  return SQLITE_OK;
}

int RowId(sqlite3_vtab_cursor* base, sqlite3_int64* row) {
  *row = static_cast<sqlite3_int64>(reinterpret_cast<Cursor*>(base)->row);
  return SQLITE_OK;
}

struct TextFree {
  void operator()(char* text) const { sqlite3_free(text); }
};
using Probe = std::unique_ptr<char, TextFree>;

// No xCreate: the table is there by its name, without a CREATE statement. No xUpdate: it is read-only.
sqlite3_module MakeModule() {
  sqlite3_module module = {};
  module.iVersion = 0;
  module.xConnect = Connect;
  module.xBestIndex = BestIndex;
  module.xDisconnect = Disconnect;
  module.xOpen = Open;
  module.xClose = Close;
  module.xFilter = Filter;
  module.xNext = Next;
  module.xEof = AtEnd;
  module.xColumn = Column;
  module.xRowid = RowId;
  return module;
}

}  // namespace

absl::Status AddColumnModule(sqlite3* db, ColumnTable* table, std::string declaration) {
  static const sqlite3_module module = MakeModule();
  auto argument = std::make_unique<ModuleArgument>(ModuleArgument{table, std::move(declaration)});
  const int code = sqlite3_create_module_v2(db, table->name().c_str(), &module, argument.release(),
                                            [](void* kept) { delete static_cast<ModuleArgument*>(kept); });
  // SQLite connects to the table at its first use, which an authorizer that denies all writing would not let it do.
  const Probe probe(sqlite3_mprintf("SELECT 1 FROM \"%w\" LIMIT 0", table->name().c_str()));
  if (code == SQLITE_OK && sqlite3_exec(db, probe.get(), nullptr, nullptr, nullptr) == SQLITE_OK) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("table \"", Excerpt(table->name(), 60), "\": ", sqlite3_errmsg(db)));
}

}  // namespace conclave::guest
