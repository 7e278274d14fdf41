// ColumnTable: one column store as a read-only virtual table of SQLite. Values are read from the mapping when SQLite asks for
// them and never copied before; a column that a statement compares for equality again and again (a join) gets an index of its
// rows, made at the second look-up.
//
// Thread safety: belongs to the thread of its connection.
// Ownership: owns the mapping; the connection borrows the table, which must outlive it.
#ifndef CONCLAVE_LIB_GUEST_SQL_COLUMN_TABLE_H_
#define CONCLAVE_LIB_GUEST_SQL_COLUMN_TABLE_H_

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/guest/columns/column_store.h"
#include "lib/guest/sql/sqlite_support.h"
#include "lib/guest/sql/statement_check.h"

namespace conclave::guest {

class ColumnTable {
 public:
  ColumnTable(std::string name, ColumnStoreView store);
  ColumnTable(const ColumnTable&) = delete;
  ColumnTable& operator=(const ColumnTable&) = delete;

  const std::string& name() const { return name_; }
  const ColumnStoreView& store() const { return store_; }

  // What the check of a statement needs to know.
  KnownTable Known() const;

  // Makes the table readable under its name on `db`. SQLite holds kMostColumns; a wider table offers those of its columns whose
  // names, in ASCII lower case, are among `named`, which must have all that the statement reads. InvalidArgument when SQLite
  // cannot hold such a table.
  absl::Status Attach(sqlite3* db, const std::set<std::string>& named);

  // The store's column for one of SQLite's.
  size_t StoreColumn(size_t declared) const { return declared_[declared]; }
  size_t declared() const { return declared_.size(); }

  // Names of the columns that a statement on the connection has asked for so far.
  std::vector<std::string> UsedColumns() const;

  // What the rows of a column are looked up by.
  struct Lookup {
    enum class Outcome { kNoRow, kKey, kUnknown };
    Outcome outcome = Outcome::kUnknown;  // kUnknown: any row may match
    uint64_t key = 0;
  };
  Lookup KeyFor(size_t column, sqlite3_value* value) const;
  // Equal values have equal keys; unequal values may have, so SQLite compares again. The row must not be null.
  uint64_t RowKey(size_t column, uint64_t row) const;

  using RowList = std::vector<uint32_t, SqliteAllocator<uint32_t>>;
  // The rows of `column` sorted by key, nulls left out; nullptr when an index is not worth making yet. May throw
  // std::bad_alloc.
  const RowList* IndexOf(size_t column);

  // A guess for SQLite's planner: how many rows have one value of this column.
  double RowsPerValue(size_t column) const;

  // Bit i: SQLite's column i. The last of its 64 bits stands for all further columns; those are marked when they are read.
  void MarkUsed(sqlite3_uint64 mask);
  void MarkUsed(size_t column) { used_[column] = true; }

 private:
  std::string name_;
  ColumnStoreView store_;
  std::vector<size_t> declared_;  // the store's column for each of SQLite's
  std::vector<bool> used_;
  std::vector<int> lookups_;
  std::vector<std::optional<RowList>> indexes_;
};

ValueType ValueTypeOf(StoredType type);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_COLUMN_TABLE_H_
