// Which column a name means, and what to say when it means none.
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/text.h"
#include "lib/guest/sql/statement_checker.h"

namespace conclave::guest {

Checker::FoundColumn Checker::Find(const Scope& scope, const Expression& column) const {
  FoundColumn found;
  for (size_t s = 0; s < scope.sources.size(); ++s) {
    const Source& source = scope.sources[s];
    if (!column.qualifier.empty() && !absl::EqualsIgnoreCase(source.name, column.qualifier)) continue;
    for (size_t i = 0; i < source.columns.size(); ++i) {
      if (!absl::EqualsIgnoreCase(source.columns[i].name, column.name)) continue;
      if (column.qualifier.empty() && source.merged[i]) continue;
      if (++found.count > 1) {
        found.other = source.name;
        continue;
      }
      found.source = &source;
      found.index = i;
      found.scope = scope.id;
      found.source_index = s;
    }
  }
  return found;
}

void Checker::ResolveColumn(Expression* column, Scope* scope) {
  for (Scope* at = scope; at != nullptr; at = at->outer) {
    // A name in ORDER BY means the result's column first; elsewhere the table's.
    const bool alias_first = at == scope && clause_ == "ORDER BY" && !in_aggregate_;
    const FoundColumn found = Find(*at, *column);
    const Result* alias = nullptr;
    if (column->qualifier.empty() && at->aliases_open) {
      for (const Result& result : at->results) {
        if (alias == nullptr && result.expression != nullptr && !result.alias.empty() &&
            absl::EqualsIgnoreCase(result.alias, column->name)) {
          alias = &result;
        }
      }
    }
    if (alias != nullptr && (found.count == 0 || alias_first)) {
      column->type = alias->type;
      column->stands_for = alias->expression;
      column->scope = at->id;
      if ((!aggregates_allowed_ || in_aggregate_) && alias->expression->aggregates) {
        Fail(column->offset, absl::StrCat(ShownName(column->name), " is an aggregate and cannot be used in ",
                                          std::string(clause_), clause_ == "WHERE" ? ": use HAVING" : ""));
      }
      return;
    }
    if (found.count == 0) continue;
    if (found.count > 1) {
      return Fail(column->offset, found.other == found.source->name
                                      ? absl::StrCat("ambiguous column name: ", ShownName(column->name),
                                                     " is there twice (names are compared without case)")
                                      : absl::StrCat("ambiguous column name: ", Excerpt(column->name, 60), " is in ",
                                                     ShownName(found.source->name), " and ", ShownName(found.other),
                                                     ": put the table's name before it"));
    }
    column->type = found.source->columns[found.index].type;
    column->scope = found.scope;
    // The place of a column inside its SELECT, for Hash().
    column->word = found.source_index;
    column->word_end = found.index;
    return;
  }
  UnknownColumn(*column, scope);
}

void Checker::UnknownColumn(const Expression& column, const Scope* scope) {
  std::vector<std::string> names;
  bool table_known = column.qualifier.empty();
  for (const Scope* at = scope; at != nullptr; at = at->outer) {
    for (const Source& source : at->sources) {
      if (!column.qualifier.empty() && !absl::EqualsIgnoreCase(source.name, column.qualifier)) continue;
      table_known = true;
      for (const TypedColumn& one : source.columns) names.push_back(one.name);
    }
    for (const Result& result : at->results) {
      if (at->aliases_open && !result.alias.empty() && column.qualifier.empty()) names.push_back(result.alias);
    }
  }
  const std::string shown = column.qualifier.empty() ? column.name : absl::StrCat(column.qualifier, ".", column.name);
  if (!table_known) {
    return Fail(column.offset,
                absl::StrCat("no such table: ", Excerpt(column.qualifier, 60), " (in ", Excerpt(shown, 120), ")"));
  }
  const std::string lower = absl::AsciiStrToLower(column.name);
  std::string way_out;
  if (const std::string nearest = NearestName(column.name, names); !nearest.empty()) {
    way_out = absl::StrCat(" (did you mean ", ShownName(nearest), "?)");
  } else if (lower == "rowid" || lower == "_rowid_" || lower == "oid") {
    way_out = " (rows have no number: use row_number() OVER (ORDER BY ...))";
  } else if (const std::string_view instead = InsteadOf(lower); !instead.empty()) {
    way_out = absl::StrCat(" (", std::string(instead), ")");
  } else if (column.quoted) {
    way_out = absl::StrCat(" (text is written '", Excerpt(column.name, 60), "')");
  }
  Fail(column.offset, absl::StrCat("no such column: ", Excerpt(shown, 120), way_out));
}

}  // namespace conclave::guest
