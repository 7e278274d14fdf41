// Bare columns: in a SELECT with aggregates every column outside an aggregate must be one of the GROUP BY keys. SQLite would
// take the value of some row.
#include "absl/strings/str_cat.h"
#include "lib/base/text.h"
#include "lib/guest/sql/statement_checker.h"

namespace conclave::guest {

void Checker::CheckGrouping(const SelectCore& core, const Select* whole, Scope* scope) {
  for (const Result& result : scope->results) {
    if (failed()) return;
    if (result.expression != nullptr) {
      NeedGrouped(*result.expression, *scope);
    } else if (scope->keys.count(result.hash) == 0) {
      Fail(result.offset, absl::StrCat("* in a SELECT with aggregates: column \"", Excerpt(result.name, 60),
                                       "\" is neither in GROUP BY nor aggregated"));
    }
  }
  if (core.having) NeedGrouped(*core.having, *scope);
  for (const auto& [name, window] : core.windows) {
    for (const ExpressionPtr& one : window.partition) NeedGrouped(*one, *scope);
    for (const OrderTerm& term : window.order) NeedGrouped(*term.expression, *scope);
  }
  if (whole == nullptr) return;
  for (const OrderTerm& term : whole->order_by) NeedGrouped(*term.expression, *scope);
}

void Checker::NeedGrouped(const Expression& e, const Scope& scope) {
  if (failed() || scope.keys.count(e.hash) != 0) return;
  if (e.kind == ExpressionKind::kColumn) {
    if (e.scope != scope.id) return;
    if (e.stands_for != nullptr) return NeedGrouped(*e.stands_for, scope);
    return Fail(e.offset, absl::StrCat("column \"", Excerpt(e.name, 60),
                                       "\" is neither in GROUP BY nor inside an aggregate: add it to GROUP BY, or say "
                                       "which of its values is meant, such as min(",
                                       Excerpt(e.name, 60), ")"));
  }
  if (e.kind == ExpressionKind::kCall && !e.window) {
    const SqlFunction* function = FindSqlFunction(e.name);
    if (function != nullptr && function->kind == FunctionKind::kAggregate) return;
  }
  for (const ExpressionPtr& operand : e.operands) NeedGrouped(*operand, scope);
  if (e.filter) NeedGrouped(*e.filter, scope);
  if (e.window) {
    for (const ExpressionPtr& one : e.window->partition) NeedGrouped(*one, scope);
    for (const OrderTerm& term : e.window->order) NeedGrouped(*term.expression, scope);
  }
  if (e.select) NeedGrouped(*e.select, scope);
}

// A subquery may refer to columns of the SELECT around it.
void Checker::NeedGrouped(const Select& select, const Scope& scope) {
  auto need = [&](const ExpressionPtr& e) {
    if (e) NeedGrouped(*e, scope);
  };
  for (const SelectCore& core : select.cores) {
    for (const ResultColumn& column : core.columns) need(column.expression);
    for (const FromItem& item : core.from) {
      need(item.on);
      if (item.subquery) NeedGrouped(*item.subquery, scope);
    }
    need(core.where);
    for (const ExpressionPtr& term : core.group_by) need(term);
    need(core.having);
    for (const auto& row : core.values) {
      for (const ExpressionPtr& value : row) need(value);
    }
  }
  for (const OrderTerm& term : select.order_by) need(term.expression);
}

}  // namespace conclave::guest
