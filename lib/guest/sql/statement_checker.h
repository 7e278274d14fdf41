// Checker: walks the tree of one statement with the tables it may read. Names and SELECTs are in statement_check.cc,
// expressions in expression_check.cc, calls and casts in call_check.cc, grouping in grouping_check.cc.
//
// Thread safety: one checker belongs to one thread and one statement.
// Ownership: borrows the statement, the tables and the tree.
#ifndef CONCLAVE_LIB_GUEST_SQL_STATEMENT_CHECKER_H_
#define CONCLAVE_LIB_GUEST_SQL_STATEMENT_CHECKER_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/guest/sql/statement_check.h"
#include "lib/guest/sql/statement_edits.h"
#include "lib/guest/sql/statement_functions.h"
#include "lib/guest/sql/statement_tree.h"

namespace conclave::guest {

class Checker {
 public:
  Checker(std::string_view statement, const std::vector<KnownTable>& tables) : statement_(statement), tables_(tables) {}

  CheckedStatement Check(Select* select);

 private:
  // One table, subquery or common table in a FROM.
  struct Source {
    std::string name;
    std::vector<TypedColumn> columns;
    std::vector<bool> merged;  // by USING or NATURAL into a column of an earlier source
  };

  // One column of a select list.
  struct Result {
    std::string name;
    std::string alias;
    ValueType type = ValueType::kNull;
    uint64_t hash = 0;
    size_t offset = 0;
    const Expression* expression = nullptr;  // nullptr: from a star
  };

  // What names can mean inside one SELECT.
  struct Scope {
    Scope* outer = nullptr;
    int id = 0;
    std::vector<Source> sources;
    std::vector<Result> results;
    bool aliases_open = false;
    bool aggregated = false;
    const SelectCore* core = nullptr;
    std::set<uint64_t> keys;  // hashes of the GROUP BY expressions
  };

  // A common table while it is visible.
  struct CommonEntry {
    std::string name;
    std::vector<TypedColumn> columns;
  };

  struct FoundColumn {
    const Source* source = nullptr;
    size_t index = 0;
    int scope = -1;
    size_t source_index = 0;
    int count = 0;
    std::string other;  // a second source with the same column
  };

  bool failed() const { return fault_.has_value(); }
  void Fail(size_t offset, std::string message);
  std::string Shown(const Expression& expression) const;

  // statement_check.cc
  std::vector<TypedColumn> CheckSelect(Select* select, Scope* outer);
  void CheckCommonTable(CommonTable* table, bool recursive);
  std::vector<TypedColumn> CheckRecursive(CommonTable* table);
  void RenameColumns(const CommonTable& table, std::vector<TypedColumn>* columns);
  std::vector<TypedColumn> CheckCore(SelectCore* core, Scope* outer, Select* whole);
  std::vector<TypedColumn> CheckValues(SelectCore* core, Scope* outer);
  void AddSource(FromItem* item, Scope* scope);
  void MergeShared(FromItem* item, Scope* scope);
  void CheckResults(SelectCore* core, Scope* scope);
  void AddStar(const ResultColumn& column, Scope* scope);
  void CheckGroupBy(SelectCore* core, Scope* scope);
  void CheckWindow(Window* window, Scope* scope);
  void CheckOrder(std::vector<OrderTerm>* terms, Scope* scope);
  void CheckFinalOrder(Select* select, Scope* scope);
  void CheckCompoundOrder(Select* select, const std::vector<TypedColumn>& columns);
  void CheckLimit(Select* select);
  bool AtMostOneRow(const Select& select) const;
  void Unite(const SelectCore& core, std::vector<TypedColumn>* into, const std::vector<TypedColumn>& next);
  FoundColumn Find(const Scope& scope, const Expression& column) const;
  void ResolveColumn(Expression* column, Scope* scope);
  void UnknownColumn(const Expression& column, const Scope* scope);

  // expression_check.cc
  ValueType CheckExpression(Expression* e, Scope* scope);
  ValueType TypeOf(Expression* e, Scope* scope);
  ValueType CheckUnary(Expression* e);
  ValueType CheckBinary(Expression* e);
  ValueType CheckComparison(Expression* e);
  ValueType CheckArithmetic(Expression* e);
  ValueType CheckShift(Expression* e);
  ValueType CheckDivision(const Expression& e);
  ValueType CheckConcat(const Expression& e);
  ValueType CheckLike(Expression* e);
  ValueType CheckIn(Expression* e, Scope* scope);
  ValueType CheckCase(Expression* e);
  ValueType CheckTemporal(Expression* e);
  ValueType CheckSubquery(Expression* e, Scope* scope);
  void NeedCondition(const Expression& e, std::string_view where);
  void NeedText(const Expression& e, std::string_view where);
  void NeedPrintable(const Expression& e);
  // Makes the values of one comparison or one CASE the same kind: reads text literals beside dates as dates, lifts dates beside
  // timestamps, refuses the rest. Returns the common type.
  ValueType Harmonise(const std::vector<Expression*>& group, std::string_view what, size_t offset);
  bool ReadAsPoint(Expression* literal, ValueType wanted);
  uint64_t Hash(const Expression& e) const;

  // call_check.cc
  ValueType CheckCall(Expression* e, Scope* scope);
  bool CheckArguments(Expression* e, const SqlFunction& function, std::vector<Expression*>* same);
  void CheckArgument(Expression* argument, char letter, const Expression& call);
  void CheckAggregate(Expression* e, const SqlFunction& function, Scope* scope);
  void CheckOver(Expression* e, const SqlFunction& function, Scope* scope);
  void RewriteTextAggregate(Expression* e);
  ValueType ResultOf(const Expression& e, const SqlFunction& function, ValueType same) const;
  ValueType CheckCast(Expression* e);
  void RewriteCast(const Expression& e, std::string_view function);

  // grouping_check.cc
  void CheckGrouping(const SelectCore& core, const Select* whole, Scope* scope);
  void NeedGrouped(const Expression& e, const Scope& scope);
  void NeedGrouped(const Select& select, const Scope& scope);

  std::string_view statement_;
  const std::vector<KnownTable>& tables_;
  std::optional<StatementFault> fault_;
  StatementEdits edits_;
  std::vector<CommonEntry> common_;
  int scopes_ = 0;
  std::string_view clause_ = "SELECT";
  bool aggregates_allowed_ = false;
  bool windows_allowed_ = false;
  bool in_aggregate_ = false;
};

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_STATEMENT_CHECKER_H_
