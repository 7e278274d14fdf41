#include "lib/guest/sql/statement_check.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/text.h"
#include "lib/guest/sql/statement_checker.h"

namespace conclave::guest {

std::string_view TypeName(ValueType type) {
  switch (type) {
    case ValueType::kNull: return "NULL";
    case ValueType::kInteger: return "an integer";
    case ValueType::kReal: return "a real number";
    case ValueType::kNumber: return "a number";
    case ValueType::kBoolean: return "a boolean";
    case ValueType::kText: return "text";
    case ValueType::kDate: return "a date";
    case ValueType::kTimestamp: return "a timestamp";
    case ValueType::kInstant: return "a timestamp with time zone";
  }
  return "";
}

bool IsNumeric(ValueType type) { return type == ValueType::kInteger || type == ValueType::kReal || type == ValueType::kNumber; }

bool IsTemporal(ValueType type) {
  return type == ValueType::kDate || type == ValueType::kTimestamp || type == ValueType::kInstant;
}

CheckedStatement CheckStatement(std::string_view statement, const std::vector<KnownTable>& tables) {
  ParsedStatement parsed = ParseStatement(statement);
  if (parsed.fault) {
    CheckedStatement refused;
    refused.fault = std::move(parsed.fault);
    return refused;
  }
  return Checker(statement, tables).Check(parsed.select.get());
}

void Checker::Fail(size_t offset, std::string message) {
  if (!fault_) fault_ = StatementFault{std::move(message), offset};
}

std::string Checker::Shown(const Expression& expression) const {
  return Excerpt(statement_.substr(expression.offset, expression.end - expression.offset), 60);
}

CheckedStatement Checker::Check(Select* select) {
  CheckedStatement checked;
  checked.columns = CheckSelect(select, nullptr);
  checked.ordered = !select->order_by.empty();
  if (checked.columns.size() > 2000) Fail(select->offset, "a result of more than 2,000 columns");
  checked.fault = std::move(fault_);
  if (!checked.fault) checked.sql = edits_.Apply(statement_);
  return checked;
}

std::vector<TypedColumn> Checker::CheckSelect(Select* select, Scope* outer) {
  const size_t visible = common_.size();
  for (CommonTable& table : select->with) {
    if (failed()) return {};
    CheckCommonTable(&table, select->recursive);
  }
  std::vector<TypedColumn> columns;
  for (size_t i = 0; i < select->cores.size() && !failed(); ++i) {
    std::vector<TypedColumn> next = CheckCore(&select->cores[i], outer, select->cores.size() == 1 ? select : nullptr);
    if (failed()) break;
    if (i == 0) {
      columns = std::move(next);
    } else {
      Unite(select->cores[i], &columns, next);
    }
  }
  if (!failed() && select->cores.size() > 1) CheckCompoundOrder(select, columns);
  if (!failed()) CheckLimit(select);
  common_.resize(visible);
  return columns;
}

void Checker::CheckCommonTable(CommonTable* table, bool recursive) {
  std::vector<TypedColumn> columns;
  if (recursive && table->select->cores.size() > 1 && table->select->with.empty()) {
    columns = CheckRecursive(table);
  } else {
    columns = CheckSelect(table->select.get(), nullptr);
    RenameColumns(*table, &columns);
  }
  common_.push_back({table->name, std::move(columns)});
}

// The first SELECT fixes the columns, the others may refer to the table itself. When they widen a type (an integer start, a
// real step), they are checked once more with the wider type.
std::vector<TypedColumn> Checker::CheckRecursive(CommonTable* table) {
  Select* select = table->select.get();
  std::vector<TypedColumn> columns = CheckCore(&select->cores[0], nullptr, nullptr);
  RenameColumns(*table, &columns);
  for (int pass = 0; pass < 2 && !failed(); ++pass) {
    const size_t mark = edits_.Mark();
    std::vector<TypedColumn> wider = columns;
    common_.push_back({table->name, columns});
    for (size_t i = 1; i < select->cores.size() && !failed(); ++i) {
      std::vector<TypedColumn> next = CheckCore(&select->cores[i], nullptr, nullptr);
      if (!failed()) Unite(select->cores[i], &wider, next);
    }
    common_.pop_back();
    const bool same = std::equal(columns.begin(), columns.end(), wider.begin(), wider.end(),
                                 [](const TypedColumn& a, const TypedColumn& b) { return a.type == b.type; });
    columns = std::move(wider);
    if (same || pass == 1) break;
    edits_.Rewind(mark);
  }
  if (!failed()) CheckCompoundOrder(select, columns);
  if (!failed()) CheckLimit(select);
  return columns;
}

void Checker::RenameColumns(const CommonTable& table, std::vector<TypedColumn>* columns) {
  if (table.columns.empty() || failed()) return;
  if (table.columns.size() != columns->size()) {
    return Fail(table.offset, absl::StrCat("common table ", ShownName(table.name), " names ", table.columns.size(),
                                           " columns but its SELECT gives ", columns->size()));
  }
  for (size_t i = 0; i < columns->size(); ++i) (*columns)[i].name = table.columns[i];
}

// `whole` is the SELECT around the core when this core is all of it, so that ORDER BY may see its tables.
std::vector<TypedColumn> Checker::CheckCore(SelectCore* core, Scope* outer, Select* whole) {
  Scope scope;
  scope.outer = outer;
  scope.id = ++scopes_;
  scope.core = core;
  if (!core->values.empty()) return CheckValues(core, &scope);
  const auto saved = std::make_tuple(clause_, aggregates_allowed_, windows_allowed_, in_aggregate_);
  in_aggregate_ = false;
  auto enter = [&](std::string_view clause, bool aggregates, bool windows) {
    clause_ = clause;
    aggregates_allowed_ = aggregates;
    windows_allowed_ = windows;
  };
  enter("ON", false, false);
  for (FromItem& item : core->from) {
    if (failed()) return {};
    AddSource(&item, &scope);
  }
  enter("SELECT", true, true);
  CheckResults(core, &scope);
  scope.aliases_open = true;
  enter("WHERE", false, false);
  if (core->where && !failed()) {
    CheckExpression(core->where.get(), &scope);
    NeedCondition(*core->where, "WHERE");
  }
  enter("GROUP BY", false, false);
  if (!failed()) CheckGroupBy(core, &scope);
  enter("HAVING", true, false);
  if (core->having && !failed()) {
    CheckExpression(core->having.get(), &scope);
    NeedCondition(*core->having, "HAVING");
  }
  enter("WINDOW", true, false);
  for (auto& [name, window] : core->windows) {
    if (!failed()) CheckWindow(&window, &scope);
  }
  enter("ORDER BY", true, true);
  if (whole != nullptr && !failed()) CheckFinalOrder(whole, &scope);
  core->aggregated = scope.aggregated || !core->group_by.empty() || core->having != nullptr;
  if (core->aggregated && !failed()) CheckGrouping(*core, whole, &scope);
  std::tie(clause_, aggregates_allowed_, windows_allowed_, in_aggregate_) = saved;
  std::vector<TypedColumn> columns;
  for (const Result& result : scope.results) columns.push_back({result.name, result.type});
  return columns;
}

std::vector<TypedColumn> Checker::CheckValues(SelectCore* core, Scope* scope) {
  std::vector<TypedColumn> columns;
  for (std::vector<ExpressionPtr>& row : core->values) {
    std::vector<TypedColumn> next;
    for (ExpressionPtr& value : row) next.push_back({"", CheckExpression(value.get(), scope)});
    if (failed()) return {};
    if (columns.empty()) {
      columns = std::move(next);
    } else {
      Unite(*core, &columns, next);
    }
  }
  return columns;
}

void Checker::Unite(const SelectCore& core, std::vector<TypedColumn>* into, const std::vector<TypedColumn>& next) {
  if (into->size() != next.size()) {
    return Fail(core.offset,
                absl::StrCat("SELECTs that are put together give ", into->size(), " and ", next.size(), " columns"));
  }
  for (size_t i = 0; i < next.size(); ++i) {
    ValueType& type = (*into)[i].type;
    if (type == next[i].type || next[i].type == ValueType::kNull) continue;
    if (type == ValueType::kNull) {
      type = next[i].type;
    } else if (IsNumeric(type) && IsNumeric(next[i].type)) {
      type = ValueType::kNumber;
    } else {
      return Fail(core.offset, absl::StrCat("column ", i + 1, " is ", std::string(TypeName(type)), " in one SELECT and ",
                                            std::string(TypeName(next[i].type)), " in another: CAST one of them"));
    }
  }
}

void Checker::AddSource(FromItem* item, Scope* scope) {
  Source source;
  source.name = item->alias.empty() ? item->table : item->alias;
  if (item->subquery) {
    source.columns = CheckSelect(item->subquery.get(), nullptr);
    if (failed()) return;
  } else {
    auto common = std::find_if(common_.rbegin(), common_.rend(),
                               [&](const CommonEntry& e) { return absl::EqualsIgnoreCase(e.name, item->table); });
    auto known = std::find_if(tables_.begin(), tables_.end(),
                              [&](const KnownTable& t) { return absl::EqualsIgnoreCase(t.name, item->table); });
    if (common != common_.rend()) {
      source.columns = common->columns;
    } else if (known != tables_.end()) {
      source.columns = known->columns;
    } else {
      std::vector<std::string> names;
      for (const KnownTable& table : tables_) names.push_back(table.name);
      for (const CommonEntry& entry : common_) names.push_back(entry.name);
      std::string way_out;
      if (const std::string nearest = NearestName(item->table, names); !nearest.empty()) {
        way_out = absl::StrCat(" (did you mean ", ShownName(nearest), "?)");
      } else if (!names.empty()) {
        way_out = absl::StrCat(" (there is ", ShownName(names[0]), names.size() > 1 ? " and others)" : ")");
      }
      return Fail(item->offset, absl::StrCat("no such table: ", Excerpt(item->table, 60), way_out));
    }
  }
  source.merged.resize(source.columns.size());
  for (const Source& other : scope->sources) {
    if (!source.name.empty() && absl::EqualsIgnoreCase(other.name, source.name)) {
      return Fail(item->offset,
                  absl::StrCat("two tables are called ", ShownName(source.name), ": give them different aliases"));
    }
  }
  scope->sources.push_back(std::move(source));
  if (item->natural || !item->shared.empty()) MergeShared(item, scope);
  if (item->on && !failed()) {
    CheckExpression(item->on.get(), scope);
    NeedCondition(*item->on, "ON");
  }
}

// USING and NATURAL: a shared column is one column, and comparing it must make sense.
void Checker::MergeShared(FromItem* item, Scope* scope) {
  Source& right = scope->sources.back();
  if (item->natural) {
    return Fail(item->offset, "NATURAL JOIN joins by whatever names happen to be equal: name the columns with USING (...)");
  }
  for (const std::string& name : item->shared) {
    auto here = std::find_if(right.columns.begin(), right.columns.end(),
                             [&](const TypedColumn& c) { return absl::EqualsIgnoreCase(c.name, name); });
    const TypedColumn* there = nullptr;
    for (size_t i = 0; i + 1 < scope->sources.size() && there == nullptr; ++i) {
      for (const TypedColumn& column : scope->sources[i].columns) {
        if (absl::EqualsIgnoreCase(column.name, name)) there = &column;
      }
    }
    if (here == right.columns.end() || there == nullptr) {
      return Fail(item->shared_offset, absl::StrCat("USING (", Excerpt(name, 60), "): both sides must have this column"));
    }
    if (here->type != there->type && !(IsNumeric(here->type) && IsNumeric(there->type))) {
      return Fail(item->shared_offset,
                  absl::StrCat("USING (", Excerpt(name, 60), "): it is ", std::string(TypeName(there->type)),
                               " on one side and ", std::string(TypeName(here->type)), " on the other: join ON with a CAST"));
    }
    right.merged[static_cast<size_t>(here - right.columns.begin())] = true;
  }
}

void Checker::CheckResults(SelectCore* core, Scope* scope) {
  for (ResultColumn& column : core->columns) {
    if (failed()) return;
    if (!column.expression) {
      AddStar(column, scope);
      continue;
    }
    Expression* e = column.expression.get();
    CheckExpression(e, scope);
    Result result;
    result.alias = column.alias;
    result.name = !column.alias.empty() ? column.alias
                  : e->kind == ExpressionKind::kColumn
                      ? e->name
                      : std::string(statement_.substr(e->offset, std::min<size_t>(e->end - e->offset, 200)));
    result.type = e->type;
    result.hash = e->hash;
    result.offset = e->offset;
    result.expression = e;
    scope->results.push_back(std::move(result));
  }
}

void Checker::AddStar(const ResultColumn& column, Scope* scope) {
  if (scope->sources.empty()) return Fail(column.offset, "* without a FROM");
  bool found = false;
  for (size_t s = 0; s < scope->sources.size(); ++s) {
    const Source& source = scope->sources[s];
    if (!column.star_table.empty() && !absl::EqualsIgnoreCase(source.name, column.star_table)) continue;
    found = true;
    for (size_t i = 0; i < source.columns.size(); ++i) {
      if (column.star_table.empty() && source.merged[i]) continue;
      Expression probe;
      probe.kind = ExpressionKind::kColumn;
      probe.scope = scope->id;
      probe.word = s;
      probe.word_end = i;
      Result result;
      result.name = source.columns[i].name;
      result.type = source.columns[i].type;
      result.hash = Hash(probe);
      result.offset = column.offset;
      scope->results.push_back(std::move(result));
    }
  }
  if (!found) return Fail(column.offset, absl::StrCat("no such table: ", Excerpt(column.star_table, 60)));
  if (scope->results.size() > size_t{kMostColumns}) {
    Fail(column.offset, absl::StrCat("* makes ", scope->results.size(), " columns, and a result has at most ", kMostColumns,
                                     ": name the columns that are needed"));
  }
}

void Checker::CheckGroupBy(SelectCore* core, Scope* scope) {
  for (ExpressionPtr& term : core->group_by) {
    if (failed()) return;
    if (term->kind == ExpressionKind::kInteger) {
      const size_t ordinal = static_cast<size_t>(std::stoull(term->name));
      if (ordinal < 1 || ordinal > scope->results.size()) {
        return Fail(term->offset,
                    absl::StrCat("GROUP BY ", Excerpt(term->name, 20), ": the SELECT has ", scope->results.size(), " columns"));
      }
      const Result& result = scope->results[ordinal - 1];
      if (result.expression != nullptr && result.expression->aggregates) {
        return Fail(term->offset, "GROUP BY an aggregate: group by columns only");
      }
      scope->keys.insert(result.hash);
      continue;
    }
    CheckExpression(term.get(), scope);
    if (term->kind == ExpressionKind::kString) {
      return Fail(term->offset, absl::StrCat("GROUP BY ", Shown(*term), " groups by a constant text: a column is written \"",
                                             Excerpt(term->name, 40), "\""));
    }
    if (term->stands_for != nullptr && term->stands_for->aggregates) {
      return Fail(term->offset, "GROUP BY an aggregate: group by columns only");
    }
    scope->keys.insert(term->hash);
  }
}

void Checker::CheckWindow(Window* window, Scope* scope) {
  for (ExpressionPtr& one : window->partition) CheckExpression(one.get(), scope);
  CheckOrder(&window->order, scope);
}

// Types the terms, and makes missing values come last, in both directions, where the statement does not say.
void Checker::CheckOrder(std::vector<OrderTerm>* terms, Scope* scope) {
  for (OrderTerm& term : *terms) {
    if (failed()) return;
    if (term.expression->kind == ExpressionKind::kString) {
      return Fail(term.expression->offset,
                  absl::StrCat("ORDER BY ", Shown(*term.expression), " sorts by a constant text: a column is written \"",
                               Excerpt(term.expression->name, 40), "\""));
    }
    CheckExpression(term.expression.get(), scope);
    if (!term.nulls_stated) edits_.Append(term.end, " NULLS LAST");
  }
}

void Checker::CheckFinalOrder(Select* select, Scope* scope) {
  CheckOrder(&select->order_by, scope);
  if (failed() || !scope->core->distinct) return;
  for (const OrderTerm& term : select->order_by) {
    const Expression& e = *term.expression;
    if (e.kind == ExpressionKind::kInteger) continue;
    const bool listed =
        std::any_of(scope->results.begin(), scope->results.end(), [&](const Result& r) { return r.hash == e.hash; });
    if (!listed)
      return Fail(e.offset,
                  absl::StrCat("SELECT DISTINCT ordered by ", Shown(e), ", which is not in its list: add it to the list"));
  }
}

// After UNION and the like only the result's own columns can be named.
void Checker::CheckCompoundOrder(Select* select, const std::vector<TypedColumn>& columns) {
  for (OrderTerm& term : select->order_by) {
    const Expression& e = *term.expression;
    const bool named = e.kind == ExpressionKind::kColumn && e.qualifier.empty() &&
                       std::any_of(columns.begin(), columns.end(),
                                   [&](const TypedColumn& c) { return absl::EqualsIgnoreCase(c.name, e.name); });
    if (!named && e.kind != ExpressionKind::kInteger) {
      return Fail(e.offset, "ORDER BY after UNION, EXCEPT or INTERSECT takes a column of the result: its name or its number");
    }
    if (!term.nulls_stated) edits_.Append(term.end, " NULLS LAST");
  }
}

void Checker::CheckLimit(Select* select) {
  if (!select->limit) return;
  Scope nothing;
  for (Expression* e : {select->limit.get(), select->skip.get()}) {
    if (e == nullptr || failed()) continue;
    if (e->kind != ExpressionKind::kInteger) return Fail(e->offset, "LIMIT and OFFSET take a whole number, written out");
    CheckExpression(e, &nothing);
  }
  if (select->order_by.empty() && !(AtMostOneRow(*select))) {
    Fail(select->limit_offset, "LIMIT without ORDER BY: which rows come first is open; add ORDER BY");
  }
}

bool Checker::AtMostOneRow(const Select& select) const {
  if (select.cores.size() != 1) return false;
  const SelectCore& core = select.cores[0];
  if (!core.values.empty()) return core.values.size() == 1;
  return core.from.empty() || (core.aggregated && core.group_by.empty());
}

}  // namespace conclave::guest
