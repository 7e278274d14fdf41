// The check of a statement before it runs: everything on which SQLite would be silent and other engines are not, refused with
// the place and the way out (docs/sql-dialect.md). What passes is rewritten where SQLite lacks only the spelling.
//
// Thread safety: pure function.
// Ownership: the result owns its text.
//
//   CheckedStatement checked = CheckStatement("SELECT qty / 2 FROM sales", tables);
//   // checked.fault->message: "/ of two integers ... write 1.0 * a / b"
#ifndef CONCLAVE_LIB_GUEST_SQL_STATEMENT_CHECK_H_
#define CONCLAVE_LIB_GUEST_SQL_STATEMENT_CHECK_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/guest/sql/statement_tree.h"

namespace conclave::guest {

// SQLite's own bound on the columns of a table and of a result.
inline constexpr int kMostColumns = 2000;

struct TypedColumn {
  std::string name;
  ValueType type = ValueType::kNull;
};

struct KnownTable {
  std::string name;
  std::vector<TypedColumn> columns;
};

struct CheckedStatement {
  std::optional<StatementFault> fault;
  std::string sql;                   // what SQLite runs; line for line the statement as written
  std::vector<TypedColumn> columns;  // of the result; names as a person would call them
  bool ordered = false;              // it has ORDER BY at its top level
};

CheckedStatement CheckStatement(std::string_view statement, const std::vector<KnownTable>& tables);

// "text", "an integer": for messages.
std::string_view TypeName(ValueType type);

bool IsNumeric(ValueType type);
bool IsTemporal(ValueType type);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_STATEMENT_CHECK_H_
