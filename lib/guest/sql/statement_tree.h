// The tree of a parsed SELECT: what the check walks over. Spans are bytes of the statement, so that faults and edits find
// their place.
//
// Thread safety: value types; the check writes its findings (type, source, hash) into expressions.
// Ownership: every node owns its children.
#ifndef CONCLAVE_LIB_GUEST_SQL_STATEMENT_TREE_H_
#define CONCLAVE_LIB_GUEST_SQL_STATEMENT_TREE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/guest/sql/statement_tokens.h"

namespace conclave::guest {

// What is known of a value before the statement runs. kNumber: integer in one row and real in another.
enum class ValueType { kNull, kInteger, kReal, kNumber, kBoolean, kText, kDate, kTimestamp, kInstant };

enum class ExpressionKind {
  kNull,
  kBoolean,    // name: TRUE or FALSE
  kInteger,    // name: digits
  kReal,       // name: lexeme
  kString,     // name: the text
  kTemporal,   // DATE '...' or TIMESTAMP '...': cast_type, name
  kInterval,   // INTERVAL 3 DAY: name is the unit, operands[0] the count (a literal)
  kColumn,     // qualifier.name
  kUnary,      // name: + - ~ NOT
  kBinary,     // name: the operator
  kIsNull,     // negated: IS NOT NULL
  kIsBoolean,  // IS [NOT] TRUE or FALSE: name
  kLike,       // name: LIKE ILIKE GLOB; operands: value, pattern, [escape]
  kBetween,    // operands: value, low, high
  kIn,         // operands: value, then the list; or select
  kCase,       // has_base: operands[0]; then when, then pairs; has_else: the last
  kCast,       // cast_type as written (upper case); name: CAST TRY_CAST ::
  kCall,       // name: lower case
  kSubquery,
  kExists
};

struct Select;
struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct OrderTerm {
  ExpressionPtr expression;
  size_t end = 0;  // after ASC or DESC
  bool descending = false;
  bool nulls_stated = false;
};

struct Window {
  std::string base;  // name of a window of the WINDOW clause, in lower case
  std::vector<ExpressionPtr> partition;
  std::vector<OrderTerm> order;
};

struct Expression {
  ExpressionKind kind = ExpressionKind::kNull;
  size_t offset = 0;  // with the parentheses around it
  size_t end = 0;
  size_t own_end = 0;  // without the parentheses around it
  size_t word = 0;     // where the operator or the name stands
  size_t word_end = 0;
  int depth = 1;
  bool parenthesised = false;
  std::string name;
  std::string qualifier;
  std::string cast_type;
  bool quoted = false;  // a column written in double quotes
  bool negated = false;
  bool distinct = false;
  bool star = false;  // count(*)
  bool has_base = false;
  bool has_else = false;
  std::vector<ExpressionPtr> operands;
  std::unique_ptr<Select> select;
  std::vector<OrderTerm> order;  // inside an aggregate's parentheses
  size_t arguments_end = 0;      // a call: end of its last argument; a cast: where AS stands
  size_t close = 0;              // a call: its closing parenthesis
  ExpressionPtr filter;
  std::unique_ptr<Window> window;  // OVER (...)

  // Found by the check.
  ValueType type = ValueType::kNull;
  int scope = -1;                          // kColumn: the SELECT it belongs to
  const Expression* stands_for = nullptr;  // kColumn: an alias of the select list, and its expression
  bool aggregates = false;                 // is or holds an aggregate without OVER
  uint64_t hash = 0;                       // equal for expressions that mean the same
};

struct ResultColumn {
  ExpressionPtr expression;  // nullptr for * and table.*
  std::string star_table;
  std::string alias;
  size_t offset = 0;
};

struct FromItem {
  std::string table;  // or
  std::unique_ptr<Select> subquery;
  std::string alias;
  size_t offset = 0;
  bool natural = false;
  ExpressionPtr on;
  std::vector<std::string> shared;  // USING (...)
  size_t shared_offset = 0;
};

struct SelectCore {
  size_t offset = 0;
  bool distinct = false;
  std::vector<ResultColumn> columns;
  std::vector<FromItem> from;
  ExpressionPtr where;
  std::vector<ExpressionPtr> group_by;
  ExpressionPtr having;
  std::vector<std::pair<std::string, Window>> windows;
  std::vector<std::vector<ExpressionPtr>> values;  // VALUES (...), (...)
  bool aggregated = false;                         // found by the check: it has aggregates, GROUP BY or HAVING
};

struct CommonTable {
  std::string name;
  std::vector<std::string> columns;
  std::unique_ptr<Select> select;
  size_t offset = 0;
};

struct Select {
  size_t offset = 0;
  int depth = 0;  // of its deepest expression, subqueries included
  bool recursive = false;
  std::vector<CommonTable> with;
  std::vector<SelectCore> cores;  // joined by UNION and the like
  std::vector<OrderTerm> order_by;
  ExpressionPtr limit;
  ExpressionPtr skip;  // OFFSET
  size_t limit_offset = 0;
};

struct ParsedStatement {
  std::unique_ptr<Select> select;  // nullptr exactly when there is a fault
  std::optional<StatementFault> fault;
};

// Parses the SELECT grammar that SQLite and DuckDB share, with SQLite's precedence. At most kExpressionDepth levels deep.
inline constexpr int kExpressionDepth = 200;
ParsedStatement ParseStatement(std::string_view statement);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_STATEMENT_TREE_H_
