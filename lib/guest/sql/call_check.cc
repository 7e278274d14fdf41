#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "lib/base/text.h"
#include "lib/guest/sql/calendar.h"
#include "lib/guest/sql/statement_checker.h"

namespace conclave::guest {
namespace {

constexpr std::string_view kTruncParts[] = {"second", "minute",  "hour", "day",    "week",
                                            "month",  "quarter", "year", "decade", "century"};
constexpr std::string_view kDateParts[] = {"second", "minute", "hour",   "day", "week",    "month",   "quarter",
                                           "year",   "dow",    "isodow", "doy", "isoyear", "weekday", "dayofweek"};

template <size_t N>
bool IsOneOf(std::string_view name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool IsTextAggregate(std::string_view name) { return name == "string_agg" || name == "group_concat" || name == "listagg"; }

// The letter for argument `index`; '\0' when there is no such argument.
char LetterAt(const SqlFunction& function, size_t index) {
  const std::string_view letters = function.arguments;
  const bool repeats = !letters.empty() && letters.back() == '*';
  const size_t fixed = repeats ? letters.size() - 1 : letters.size();
  if (index < fixed) return letters[index];
  return repeats ? letters[fixed - 1] : '\0';
}

// Values that already are whole numbers, so that making them integers loses nothing.
bool IsWhole(const Expression& e) {
  if (e.kind != ExpressionKind::kCall) return false;
  const bool rounds = e.name == "round" && e.operands.size() == 1;
  return rounds || e.name == "floor" || e.name == "ceil" || e.name == "ceiling" || e.name == "trunc";
}

struct CastTarget {
  std::string_view name;
  ValueType type;
};

constexpr CastTarget kCastTargets[] = {{"TINYINT", ValueType::kInteger},     {"SMALLINT", ValueType::kInteger},
                                       {"INTEGER", ValueType::kInteger},     {"INT", ValueType::kInteger},
                                       {"BIGINT", ValueType::kInteger},      {"HUGEINT", ValueType::kInteger},
                                       {"INT4", ValueType::kInteger},        {"INT8", ValueType::kInteger},
                                       {"DOUBLE", ValueType::kReal},         {"DOUBLE PRECISION", ValueType::kReal},
                                       {"FLOAT8", ValueType::kReal},         {"VARCHAR", ValueType::kText},
                                       {"TEXT", ValueType::kText},           {"STRING", ValueType::kText},
                                       {"CHAR", ValueType::kText},           {"BOOLEAN", ValueType::kBoolean},
                                       {"BOOL", ValueType::kBoolean},        {"DATE", ValueType::kDate},
                                       {"TIMESTAMP", ValueType::kTimestamp}, {"DATETIME", ValueType::kTimestamp},
                                       {"TIMESTAMPTZ", ValueType::kInstant}, {"TIMESTAMP WITH TIME ZONE", ValueType::kInstant}};

std::string_view CastFunction(ValueType from, ValueType to) {
  switch (to) {
    case ValueType::kInteger: return "cast_integer";
    case ValueType::kReal: return "cast_real";
    case ValueType::kText: return from == ValueType::kBoolean ? "cast_boolean_text" : "cast_text";
    case ValueType::kBoolean: return "cast_boolean";
    case ValueType::kDate: return "cast_date";
    case ValueType::kTimestamp: return "cast_timestamp";
    default: return "cast_instant";
  }
}

}  // namespace

ValueType Checker::CheckCall(Expression* e, Scope* scope) {
  const SqlFunction* function = FindSqlFunction(e->name);
  if (function == nullptr) {
    std::string way_out(InsteadOf(e->name));
    if (way_out.empty()) {
      const std::string nearest = NearestName(e->name, SqlFunctionNames());
      way_out = nearest.empty() ? "docs/sql-dialect.md lists what is offered" : absl::StrCat("did you mean ", nearest, "()?");
    }
    Fail(e->offset, absl::StrCat("no such function in the common dialect: ", Excerpt(e->name, 40), "(): ", way_out));
    return ValueType::kNull;
  }
  const bool aggregate = function->kind == FunctionKind::kAggregate && !e->window;
  const bool was_inside = in_aggregate_;
  const bool windows_were_allowed = windows_allowed_;
  if (function->kind != FunctionKind::kScalar) {
    CheckAggregate(e, *function, scope);
    if (failed()) return ValueType::kNull;
    if (aggregate) in_aggregate_ = true;
    windows_allowed_ = false;
  } else if (e->distinct || e->filter || e->window || !e->order.empty() || (e->star && e->name != "date_part")) {
    Fail(e->offset, absl::StrCat(e->name, "() is no aggregate: DISTINCT, FILTER, ORDER BY and OVER do not go with it"));
  }
  for (const ExpressionPtr& operand : e->operands) CheckExpression(operand.get(), scope);
  if (e->filter) {
    CheckExpression(e->filter.get(), scope);
    if (!failed()) NeedCondition(*e->filter, "FILTER");
  }
  for (OrderTerm& term : e->order) CheckExpression(term.expression.get(), scope);
  in_aggregate_ = was_inside;
  if (e->window && !failed()) CheckOver(e, *function, scope);
  windows_allowed_ = windows_were_allowed;
  if (failed()) return ValueType::kNull;
  if (aggregate) e->aggregates = true;
  std::vector<Expression*> same;
  if (!CheckArguments(e, *function, &same)) return ValueType::kNull;
  ValueType common = ValueType::kNull;
  if (!same.empty()) common = Harmonise(same, absl::StrCat(e->name, "()"), e->offset);
  if (failed()) return ValueType::kNull;
  if (IsTextAggregate(e->name)) RewriteTextAggregate(e);
  // Words of joins to SQLite, unless they are quoted.
  if (e->name == "left" || e->name == "right") edits_.Replace(e->word, e->word_end, absl::StrCat("\"", e->name, "\""));
  if (e->name == "date_part" && e->star) {
    const Expression& part = *e->operands[0];
    edits_.Replace(e->word, e->word_end, "date_part");
    edits_.Replace(part.offset, e->operands[1]->offset, absl::StrCat("'", part.name, "', "));
  }
  return ResultOf(*e, *function, common);
}

// What may stand where: aggregates, and functions that need OVER.
void Checker::CheckAggregate(Expression* e, const SqlFunction& function, Scope* scope) {
  const std::string call = absl::StrCat(e->name, "()");
  if (e->window) {
    if (!windows_allowed_) {
      return Fail(e->offset, absl::StrCat(call, " OVER (...) cannot stand in ", std::string(clause_),
                                          " or inside another: use an outer SELECT"));
    }
    if (!function.windows)
      return Fail(e->offset, absl::StrCat(call, " cannot be used with OVER: join a grouped SELECT instead"));
    if (e->distinct) return Fail(e->offset, absl::StrCat(call, ": DISTINCT and OVER do not go together"));
    return;
  }
  if (function.kind == FunctionKind::kWindow) {
    return Fail(e->offset, absl::StrCat(call, " needs OVER (ORDER BY ...)"));
  }
  if (in_aggregate_) return Fail(e->offset, absl::StrCat(call, " inside another aggregate: use an inner SELECT"));
  if (!aggregates_allowed_) {
    return Fail(e->offset, absl::StrCat(call, " is an aggregate and cannot be used in ", std::string(clause_),
                                        clause_ == "WHERE" ? ": use HAVING, or an inner SELECT" : ": use an inner SELECT"));
  }
  if (!e->order.empty() && !IsTextAggregate(e->name)) {
    return Fail(e->offset, absl::StrCat(call, " does not depend on an order: leave out ORDER BY"));
  }
  scope->aggregated = true;
}

void Checker::CheckOver(Expression* e, const SqlFunction& function, Scope* scope) {
  CheckWindow(e->window.get(), scope);
  bool ordered = !e->window->order.empty();
  if (!e->window->base.empty()) {
    auto named = std::find_if(scope->core->windows.begin(), scope->core->windows.end(),
                              [&](const auto& one) { return one.first == e->window->base; });
    if (named == scope->core->windows.end()) {
      return Fail(e->offset, absl::StrCat("no such window: ", Excerpt(e->window->base, 40)));
    }
    ordered = ordered || !named->second.order.empty();
  }
  if (function.needs_order && !ordered) {
    Fail(e->offset,
         absl::StrCat(e->name, "() OVER without ORDER BY: which row comes first is open; add ORDER BY to the window"));
  }
}

// False after a fault. Collects the arguments that must be of one kind.
bool Checker::CheckArguments(Expression* e, const SqlFunction& function, std::vector<Expression*>* same) {
  const size_t given = e->operands.size();
  const bool repeats = !function.arguments.empty() && function.arguments.back() == '*';
  if (e->name == "count" && (e->star ? given != 0 || e->distinct : given != 1)) {
    Fail(e->offset, "count takes *, one value, or DISTINCT and one value");
    return false;
  }
  const bool starred = e->star && e->name != "count" && e->name != "date_part";
  if (starred || given < static_cast<size_t>(function.least) || (!repeats && given > function.arguments.size())) {
    const bool scalar_min = (e->name == "min" || e->name == "max") && given > 1;
    Fail(e->offset, absl::StrCat(e->name, "() takes ", function.least, repeats ? " or more" : "",
                                 !repeats && function.arguments.size() > static_cast<size_t>(function.least)
                                     ? absl::StrCat(" to ", function.arguments.size())
                                     : "",
                                 " arguments, not ", given,
                                 scalar_min ? absl::StrCat(": use ", e->name == "min" ? "least" : "greatest", "(a, b)") : ""));
    return false;
  }
  if (e->distinct && given != 1 && !IsTextAggregate(e->name)) {
    Fail(e->offset, absl::StrCat(e->name, "(DISTINCT ...) takes one argument"));
    return false;
  }
  // DuckDB takes strftime's arguments in both orders.
  const bool swapped = e->name == "strftime" && e->operands[0]->type == ValueType::kText && IsTemporal(e->operands[1]->type);
  for (size_t i = 0; i < given && !failed(); ++i) {
    Expression* argument = e->operands[i].get();
    const char letter = LetterAt(function, swapped ? 1 - i : i);
    if (letter == 'u') {
      same->push_back(argument);
      if (e->name == "mod") CheckArgument(argument, 'n', *e);
    } else {
      CheckArgument(argument, letter, *e);
    }
  }
  if (!failed() && (e->name == "concat" || e->name == "concat_ws")) {
    for (const ExpressionPtr& operand : e->operands) NeedPrintable(*operand);
  }
  return !failed();
}

void Checker::CheckArgument(Expression* argument, char letter, const Expression& call) {
  const ValueType type = argument->type;
  const std::string where = absl::StrCat(call.name, "()");
  auto refuse = [&](std::string_view wanted, std::string_view way_out) {
    Fail(argument->offset, absl::StrCat(where, " takes ", std::string(wanted), ", but ", Shown(*argument), " is ",
                                        std::string(TypeName(type)), std::string(way_out)));
  };
  switch (letter) {
    case 'n':
      if (type == ValueType::kNull || IsNumeric(type)) return;
      return refuse("numbers", type == ValueType::kBoolean ? ": use count_if(x), or CASE WHEN x THEN 1 ELSE 0 END"
                               : type == ValueType::kText  ? ": CAST(x AS DOUBLE) if it holds numbers"
                                                           : "");
    case 'i':
      if (type == ValueType::kNull || type == ValueType::kInteger) return;
      return refuse("an integer", "");
    case 'b':
      if (type == ValueType::kNull || type == ValueType::kBoolean) return;
      return refuse("a condition", ": compare it with something");
    case 't': return NeedText(*argument, where);
    case 'd': {
      if (type == ValueType::kNull || IsTemporal(type)) return;
      if (argument->kind == ExpressionKind::kString) {
        const std::optional<Point> point = ParsePoint(argument->name);
        const bool date = point && point->kind == PointKind::kDate;
        ReadAsPoint(argument, !point || date                       ? ValueType::kDate
                              : point->kind == PointKind::kInstant ? ValueType::kInstant
                                                                   : ValueType::kTimestamp);
        return;
      }
      return refuse("a date or timestamp", type == ValueType::kText ? ": CAST(x AS DATE) or strptime(x, format)" : "");
    }
    case 'p': {
      const bool trunc = call.name == "date_trunc" || call.name == "date_diff" || call.name == "datediff";
      const bool known = argument->kind == ExpressionKind::kString &&
                         (trunc ? IsOneOf(argument->name, kTruncParts) : IsOneOf(argument->name, kDateParts));
      if (known) return;
      return Fail(argument->offset,
                  absl::StrCat(where,
                               " takes first the name of a part, in lower case: 'year', 'quarter', 'month', 'week', 'day', "
                               "'hour', 'minute', 'second'",
                               trunc ? "" : ", 'dow', 'isodow', 'doy', 'isoyear'"));
    }
    case 'z':
      if (argument->kind == ExpressionKind::kString) return;
      return Fail(argument->offset, absl::StrCat(where, " takes first the name of a time zone, such as 'Europe/Vienna'"));
    case 'w':
      if (type == ValueType::kNull || type == ValueType::kInstant) return;
      return refuse("a timestamp with time zone", "");
    case 'c': {
      const bool literal = argument->kind == ExpressionKind::kReal || argument->kind == ExpressionKind::kInteger;
      const double value = literal ? std::strtod(argument->name.c_str(), nullptr) : -1;
      if (literal && value >= 0 && value <= 1) return;
      return Fail(argument->offset, absl::StrCat(where, " takes second a constant between 0 and 1, such as 0.9"));
    }
    default: return;
  }
}

// string_agg(x, ', ' ORDER BY k DESC) becomes ordered_text(x, ', ', k, flags): 1 descending, 2 distinct.
void Checker::RewriteTextAggregate(Expression* e) {
  const Expression& value = *e->operands[0];
  if (e->order.size() != 1) {
    return Fail(e->offset, absl::StrCat(e->name, "(): the order of its parts is open: write ", e->name,
                                        "(x, ', ' ORDER BY x), with one key"));
  }
  const OrderTerm& term = e->order[0];
  if (e->distinct && term.expression->hash != value.hash) {
    return Fail(term.expression->offset, absl::StrCat(e->name, "(DISTINCT x ...) is ordered by x itself"));
  }
  if (term.nulls_stated)
    return Fail(term.expression->offset, absl::StrCat(e->name, "(): missing values are left out; drop NULLS"));
  if (e->operands.size() > 1 && e->operands[1]->kind != ExpressionKind::kString) {
    return Fail(e->operands[1]->offset, absl::StrCat(e->name, "(): the separator is a constant text"));
  }
  const int flags = (term.descending ? 1 : 0) + (e->distinct ? 2 : 0);
  edits_.Replace(e->word, value.offset, "ordered_text(");
  edits_.Replace(e->arguments_end, term.expression->offset, e->operands.size() > 1 ? ", " : ", ',', ");
  edits_.Replace(term.expression->end, e->close, absl::StrCat(", ", flags));
}

ValueType Checker::ResultOf(const Expression& e, const SqlFunction& function, ValueType same) const {
  switch (function.result) {
    case 'I': return ValueType::kInteger;
    case 'R': return ValueType::kReal;
    case 'T': return ValueType::kText;
    case 'B': return ValueType::kBoolean;
    case 'D': return ValueType::kDate;
    case 'S': return ValueType::kTimestamp;
    case 'U': return same;
    case 'P': {
      const std::string& part = e.operands[0]->name;
      const bool of_day = part == "hour" || part == "minute" || part == "second";
      const ValueType type = e.operands[1]->type;
      return type == ValueType::kDate && of_day ? ValueType::kTimestamp : type;
    }
    default: return e.operands[0]->type;
  }
}

void Checker::RewriteCast(const Expression& e, std::string_view function) {
  const Expression& operand = *e.operands[0];
  if (e.name == "::") {
    edits_.Wrap(operand.offset, operand.end, absl::StrCat(std::string(function), "("), "");
    edits_.Replace(e.word, e.own_end, ")");
  } else {
    edits_.Replace(e.word, e.word_end, std::string(function));
    edits_.Replace(e.arguments_end, e.own_end - 1, "");
  }
}

ValueType Checker::CheckCast(Expression* e) {
  Expression* operand = e->operands[0].get();
  std::string target = e->cast_type;
  if (const size_t parenthesis = target.find('(');
      parenthesis != std::string::npos && (target.starts_with("VARCHAR") || target.starts_with("CHAR"))) {
    target.resize(parenthesis);
  }
  auto found =
      std::find_if(std::begin(kCastTargets), std::end(kCastTargets), [&](const CastTarget& t) { return t.name == target; });
  if (found == std::end(kCastTargets)) {
    std::string_view way_out = "types are INTEGER, BIGINT, DOUBLE, VARCHAR, BOOLEAN, DATE, TIMESTAMP";
    if (target == "REAL" || target == "FLOAT" || target == "FLOAT4") way_out = "it has 32 bits in some engines; write DOUBLE";
    if (target.starts_with("DECIMAL") || target.starts_with("NUMERIC")) way_out = "write round(x, 2), or CAST(x AS DOUBLE)";
    Fail(e->offset,
         absl::StrCat("CAST AS ", Excerpt(e->cast_type, 40), " is not in the common dialect: ", std::string(way_out)));
    return ValueType::kNull;
  }
  const ValueType from = operand->type;
  const ValueType to = found->type;
  const bool real = from == ValueType::kReal || from == ValueType::kNumber;
  if (to == ValueType::kInteger && real && !IsWhole(*operand)) {
    Fail(e->offset,
         absl::StrCat("CAST of a real AS ", target, " rounds in some engines and truncates in others: write CAST(round(",
                      Shown(*operand), ") AS ", target, ") or floor or trunc"));
    return to;
  }
  const bool sensible = from == ValueType::kNull || from == ValueType::kText || to == ValueType::kText || from == to ||
                        (IsNumeric(to) && (IsNumeric(from) || from == ValueType::kBoolean)) ||
                        (IsTemporal(to) && IsTemporal(from)) || (to == ValueType::kBoolean && from == ValueType::kInteger);
  if (!sensible) {
    Fail(e->offset, absl::StrCat("CAST of ", std::string(TypeName(from)), " AS ", target, " makes no sense",
                                 IsTemporal(from) ? ": use year(x), date_part(...) or date_diff(...)" : ""));
    return to;
  }
  const bool attempt = e->name == "TRY_CAST" && from == ValueType::kText && to != ValueType::kText && to != ValueType::kInstant;
  RewriteCast(*e, absl::StrCat(attempt ? "try_" : "", std::string(CastFunction(from, to))));
  return to;
}

}  // namespace conclave::guest
