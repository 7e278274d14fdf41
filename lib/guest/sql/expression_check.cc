#include <algorithm>
#include <functional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/text.h"
#include "lib/guest/sql/calendar.h"
#include "lib/guest/sql/statement_checker.h"

namespace conclave::guest {
namespace {

enum class TypeClass { kNone, kNumber, kBoolean, kText, kTime };

TypeClass ClassOf(ValueType type) {
  if (type == ValueType::kNull) return TypeClass::kNone;
  if (IsNumeric(type)) return TypeClass::kNumber;
  if (type == ValueType::kBoolean) return TypeClass::kBoolean;
  return type == ValueType::kText ? TypeClass::kText : TypeClass::kTime;
}

PointKind PointKindOf(ValueType type) {
  return type == ValueType::kDate        ? PointKind::kDate
         : type == ValueType::kTimestamp ? PointKind::kTimestamp
                                         : PointKind::kInstant;
}

std::string QuotedText(std::string_view text) { return absl::StrCat("'", std::string(text), "'"); }

uint64_t Mix(uint64_t a, uint64_t b) {
  a ^= b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2);
  return a * 0xFF51AFD7ED558CCDu;
}

// The way out for two kinds of values that cannot be compared.
std::string_view WayOut(TypeClass a, TypeClass b) {
  auto either = [&](TypeClass one) { return a == one || b == one; };
  if (either(TypeClass::kTime) && either(TypeClass::kNumber)) return "use year(x), month(x) or date_part('day', x)";
  if (either(TypeClass::kTime) && either(TypeClass::kText)) return "use strftime(x, '%Y-%m') for text, or CAST(text AS DATE)";
  if (either(TypeClass::kText) && either(TypeClass::kNumber))
    return "write the value in the column's own type, or CAST one side";
  if (either(TypeClass::kBoolean)) return "write the condition itself, or IS TRUE";
  return "CAST one side";
}

}  // namespace

ValueType Checker::CheckExpression(Expression* e, Scope* scope) {
  if (failed()) return ValueType::kNull;
  e->type = TypeOf(e, scope);
  e->hash = Hash(*e);
  if (e->stands_for != nullptr) e->aggregates = e->stands_for->aggregates;
  for (const ExpressionPtr& operand : e->operands) e->aggregates = e->aggregates || operand->aggregates;
  return e->type;
}

ValueType Checker::TypeOf(Expression* e, Scope* scope) {
  // Calls, IN and subqueries look after their own children.
  switch (e->kind) {
    case ExpressionKind::kCall: return CheckCall(e, scope);
    case ExpressionKind::kIn: return CheckIn(e, scope);
    case ExpressionKind::kSubquery:
    case ExpressionKind::kExists: return CheckSubquery(e, scope);
    case ExpressionKind::kColumn: ResolveColumn(e, scope); return e->type;
    default: break;
  }
  for (const ExpressionPtr& operand : e->operands) {
    if (operand->kind == ExpressionKind::kInterval &&
        !(e->kind == ExpressionKind::kBinary && operand == e->operands.back() && (e->name == "+" || e->name == "-"))) {
      Fail(operand->offset, "an INTERVAL can only be added to or taken from a date: x + INTERVAL 3 DAY");
    }
    CheckExpression(operand.get(), scope);
    if (failed()) return ValueType::kNull;
  }
  switch (e->kind) {
    case ExpressionKind::kBoolean:
    case ExpressionKind::kIsNull: return ValueType::kBoolean;
    case ExpressionKind::kIsBoolean: NeedCondition(*e->operands[0], "IS TRUE"); return ValueType::kBoolean;
    case ExpressionKind::kInteger: return ValueType::kInteger;
    case ExpressionKind::kReal: return ValueType::kReal;
    case ExpressionKind::kString: return ValueType::kText;
    case ExpressionKind::kTemporal: return CheckTemporal(e);
    case ExpressionKind::kUnary: return CheckUnary(e);
    case ExpressionKind::kBinary: return CheckBinary(e);
    case ExpressionKind::kLike: return CheckLike(e);
    case ExpressionKind::kBetween:
      Harmonise({e->operands[0].get(), e->operands[1].get(), e->operands[2].get()}, "BETWEEN", e->word);
      return ValueType::kBoolean;
    case ExpressionKind::kCase: return CheckCase(e);
    case ExpressionKind::kCast: return CheckCast(e);
    default: return ValueType::kNull;
  }
}

void Checker::NeedCondition(const Expression& e, std::string_view where) {
  if (failed() || e.type == ValueType::kBoolean || e.type == ValueType::kNull) return;
  Fail(e.offset, absl::StrCat(std::string(where), " needs a condition, but ", Shown(e), " is ", std::string(TypeName(e.type)),
                              IsNumeric(e.type) ? ": write x <> 0" : ": compare it with something"));
}

void Checker::NeedText(const Expression& e, std::string_view where) {
  if (failed() || e.type == ValueType::kText || e.type == ValueType::kNull) return;
  const std::string_view way_out = IsTemporal(e.type) ? "use strftime(x, '%Y-%m-%d'), year(x) or compare dates"
                                                      : "CAST(x AS VARCHAR) makes it text, if that is what you mean";
  Fail(e.offset, absl::StrCat(std::string(where), " works on text, but ", Shown(e), " is ", std::string(TypeName(e.type)), ": ",
                              std::string(way_out)));
}

// Engines print reals and booleans differently, so that joining them to text would give different texts.
void Checker::NeedPrintable(const Expression& e) {
  if (failed() || (e.type != ValueType::kReal && e.type != ValueType::kNumber && e.type != ValueType::kBoolean)) return;
  Fail(e.offset, absl::StrCat("joining ", std::string(TypeName(e.type)), " to text: write CAST(", Shown(e), " AS VARCHAR)"));
}

// Reads a text literal that stands beside a date as a date of type `wanted`, as the statement's author meant it.
bool Checker::ReadAsPoint(Expression* literal, ValueType wanted) {
  const std::optional<Point> point = ParsePoint(literal->name);
  const PointKind kind = PointKindOf(wanted);
  if (!point || (kind == PointKind::kDate && point->kind != PointKind::kDate) ||
      (kind == PointKind::kTimestamp && point->kind == PointKind::kInstant)) {
    const std::string_view example = kind == PointKind::kDate ? "'2024-03-01'" : "'2024-03-01 10:00:00'";
    Fail(literal->offset, absl::StrCat("'", Excerpt(literal->name, 40), "' stands beside ", std::string(TypeName(wanted)),
                                       " but is none: write it like ", std::string(example)));
    return false;
  }
  edits_.Replace(literal->word, literal->own_end, QuotedText(FormatPoint({kind, point->micros})));
  literal->type = wanted;
  return true;
}

ValueType Checker::Harmonise(const std::vector<Expression*>& group, std::string_view what, size_t offset) {
  if (failed()) return ValueType::kNull;
  ValueType time = ValueType::kNull;
  for (const Expression* one : group) {
    if (IsTemporal(one->type)) time = std::max(time, one->type);
  }
  ValueType common = ValueType::kNull;
  const Expression* first = nullptr;
  for (Expression* one : group) {
    if (one->type == ValueType::kNull) continue;
    if (time != ValueType::kNull && one->kind == ExpressionKind::kString && one->type == ValueType::kText) {
      if (!ReadAsPoint(one, time)) return ValueType::kNull;
    }
    if (time == ValueType::kTimestamp && one->type == ValueType::kDate) {
      edits_.Wrap(one->offset, one->end, "cast_timestamp(", ")");
      one->type = ValueType::kTimestamp;
    }
    const bool flag = one->kind == ExpressionKind::kInteger && (one->name == "0" || one->name == "1");
    if (first == nullptr) {
      first = one;
      common = one->type;
    } else if (ClassOf(common) != ClassOf(one->type) && !(flag && common == ValueType::kBoolean)) {
      Fail(offset, absl::StrCat(std::string(what), ": ", Shown(*first), " is ", std::string(TypeName(first->type)), " and ",
                                Shown(*one), " is ", std::string(TypeName(one->type)),
                                ", which never match: ", std::string(WayOut(ClassOf(first->type), ClassOf(one->type)))));
      return ValueType::kNull;
    } else if (common != one->type && IsNumeric(common)) {
      common = ValueType::kNumber;
    } else if (common != one->type && IsTemporal(common)) {
      Fail(offset, absl::StrCat(std::string(what), ": ", Shown(*first), " is ", std::string(TypeName(first->type)), " and ",
                                Shown(*one), " is ", std::string(TypeName(one->type)),
                                ": CAST both AS TIMESTAMP (in UTC) or both AS DATE"));
      return ValueType::kNull;
    }
  }
  return common;
}

ValueType Checker::CheckTemporal(Expression* e) {
  const ValueType type = e->cast_type == "DATE" ? ValueType::kDate : ValueType::kTimestamp;
  const std::optional<Point> point = ParsePoint(e->name);
  if (!point || point->kind == PointKind::kInstant || (type == ValueType::kDate && point->kind != PointKind::kDate)) {
    Fail(e->offset, absl::StrCat(e->cast_type, " '", Excerpt(e->name, 40), "' is ", std::string(TypeName(type)),
                                 " in name only: write it like ",
                                 type == ValueType::kDate ? "DATE '2024-03-01'" : "TIMESTAMP '2024-03-01 10:00:00'"));
    return type;
  }
  edits_.Replace(e->word, e->own_end, QuotedText(FormatPoint({PointKindOf(type), point->micros})));
  return type;
}

ValueType Checker::CheckUnary(Expression* e) {
  const Expression& operand = *e->operands[0];
  if (e->name == "NOT") {
    NeedCondition(operand, "NOT");
    return ValueType::kBoolean;
  }
  if (operand.type != ValueType::kNull && !IsNumeric(operand.type)) {
    Fail(e->offset, absl::StrCat(e->name, Shown(operand), ": it is ", std::string(TypeName(operand.type)), ", not a number"));
  }
  if (e->name == "~" && operand.type != ValueType::kInteger) Fail(e->offset, "~ works on integers only");
  return operand.type;
}

ValueType Checker::CheckBinary(Expression* e) {
  const std::string& name = e->name;
  if (name == "AND" || name == "OR") {
    for (const ExpressionPtr& operand : e->operands) NeedCondition(*operand, name);
    return ValueType::kBoolean;
  }
  if (name == "||") return CheckConcat(*e);
  static constexpr std::string_view kArithmetic[] = {"+", "-", "*", "/", "%", "&", "|", "<<", ">>"};
  if (std::find(std::begin(kArithmetic), std::end(kArithmetic), name) != std::end(kArithmetic)) return CheckArithmetic(e);
  return CheckComparison(e);
}

ValueType Checker::CheckComparison(Expression* e) {
  Harmonise({e->operands[0].get(), e->operands[1].get()}, e->name, e->word);
  for (const ExpressionPtr& operand : e->operands) {
    if (operand->kind == ExpressionKind::kNull && !absl::StartsWith(e->name, "IS")) {
      Fail(e->word, absl::StrCat("comparing with ", e->name, " NULL is never true: write IS NULL or IS NOT NULL"));
    }
  }
  return ValueType::kBoolean;
}

ValueType Checker::CheckArithmetic(Expression* e) {
  const Expression& left = *e->operands[0];
  const Expression& right = *e->operands[1];
  if (right.kind == ExpressionKind::kInterval) return CheckShift(e);
  for (const Expression* one : {&left, &right}) {
    if (one->type == ValueType::kNull || IsNumeric(one->type)) continue;
    std::string way_out = "CAST it AS DOUBLE if it holds numbers";
    if (one->type == ValueType::kText && e->name == "+") way_out = "join texts with ||";
    if (one->type == ValueType::kBoolean) way_out = "use CASE WHEN ... THEN 1 ELSE 0 END, or count_if(...)";
    if (IsTemporal(one->type)) {
      way_out = IsTemporal(left.type) && IsTemporal(right.type) && e->name == "-"
                    ? "use date_diff('day', earlier, later)"
                    : "use x + INTERVAL 3 DAY or date_diff('day', a, b)";
    }
    Fail(e->word, absl::StrCat(Shown(*one), " is ", std::string(TypeName(one->type)), ", on which ", e->name,
                               " does not work: ", way_out));
    return ValueType::kNull;
  }
  if (e->name == "/") return CheckDivision(*e);
  const bool integers = (left.type == ValueType::kInteger || left.type == ValueType::kNull) &&
                        (right.type == ValueType::kInteger || right.type == ValueType::kNull);
  if (e->name == "+" || e->name == "-" || e->name == "*") {
    if (integers) return ValueType::kInteger;
    return left.type == ValueType::kReal || right.type == ValueType::kReal ? ValueType::kReal : ValueType::kNumber;
  }
  if (!integers) {
    Fail(e->word, absl::StrCat(e->name, " of reals cuts them to integers", e->name == "%" ? ": use mod(a, b)" : " here"));
  }
  return ValueType::kInteger;
}

// x + INTERVAL 3 DAY becomes date_shift(x, 'day', 3), a timestamp.
ValueType Checker::CheckShift(Expression* e) {
  const Expression& left = *e->operands[0];
  const Expression& interval = *e->operands[1];
  if (!IsTemporal(left.type)) {
    Fail(e->word,
         absl::StrCat("an INTERVAL can only be added to a date, and ", Shown(left), " is ", std::string(TypeName(left.type)),
                      left.kind == ExpressionKind::kString ? ": write DATE '...'" : ""));
    return ValueType::kNull;
  }
  static constexpr std::string_view kUnits[] = {"second", "minute", "hour", "day", "week", "month", "quarter", "year"};
  std::string unit = interval.name;
  if (unit.size() > 1 && unit.back() == 's') unit.pop_back();
  if (std::find(std::begin(kUnits), std::end(kUnits), unit) == std::end(kUnits)) {
    Fail(interval.offset, absl::StrCat("INTERVAL in \"", Excerpt(interval.name, 20),
                                       "\": units are second, minute, hour, day, week, month, quarter, year"));
    return ValueType::kNull;
  }
  std::string count = interval.operands[0]->name;
  const bool negative = !count.empty() && count[0] == '-';
  const std::string digits = count.substr(negative ? 1 : 0);
  if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos) {
    Fail(interval.offset, absl::StrCat("INTERVAL of \"", Excerpt(count, 20), "\": the count is a whole number"));
    return ValueType::kNull;
  }
  const bool back = negative != (e->name == "-");
  edits_.Wrap(left.offset, left.end, "date_shift(", "");
  edits_.Replace(e->word, e->own_end, absl::StrCat(", '", unit, "', ", back ? "-" : "", digits, ")"));
  return left.type == ValueType::kDate ? ValueType::kTimestamp : left.type;
}

ValueType Checker::CheckDivision(const Expression& e) {
  const Expression& left = *e.operands[0];
  const Expression& right = *e.operands[1];
  if (left.type != ValueType::kReal && right.type != ValueType::kReal && left.type != ValueType::kNull &&
      right.type != ValueType::kNull) {
    Fail(e.word, absl::StrCat("/ of ", std::string(TypeName(left.type)), " by ", std::string(TypeName(right.type)),
                              " cuts off the fraction when both are integers: write 1.0 * ", Shown(left), " / ", Shown(right),
                              ", or trunc(1.0 * a / b) for the whole quotient"));
  }
  return ValueType::kReal;
}

ValueType Checker::CheckConcat(const Expression& e) {
  for (const ExpressionPtr& operand : e.operands) NeedPrintable(*operand);
  return ValueType::kText;
}

ValueType Checker::CheckLike(Expression* e) {
  for (const ExpressionPtr& operand : e->operands) NeedText(*operand, e->name);
  if (failed() || e->name != "ILIKE") return ValueType::kBoolean;
  edits_.Wrap(e->operands[0]->offset, e->operands[0]->end, "lower(", ")");
  edits_.Replace(e->word, e->word_end, "LIKE");
  edits_.Wrap(e->operands[1]->offset, e->operands[1]->end, "lower(", ")");
  return ValueType::kBoolean;
}

ValueType Checker::CheckIn(Expression* e, Scope* scope) {
  for (const ExpressionPtr& operand : e->operands) CheckExpression(operand.get(), scope);
  if (failed()) return ValueType::kBoolean;
  if (!e->select) {
    std::vector<Expression*> group;
    for (const ExpressionPtr& operand : e->operands) group.push_back(operand.get());
    Harmonise(group, "IN", e->word);
    return ValueType::kBoolean;
  }
  const std::vector<TypedColumn> columns = CheckSelect(e->select.get(), scope);
  if (failed()) return ValueType::kBoolean;
  if (columns.size() != 1) {
    Fail(e->word, absl::StrCat("IN (SELECT ...) must give one column, this gives ", columns.size()));
    return ValueType::kBoolean;
  }
  const ValueType value = e->operands[0]->type;
  const ValueType other = columns[0].type;
  if (value != ValueType::kNull && other != ValueType::kNull && value != other && !(IsNumeric(value) && IsNumeric(other))) {
    Fail(e->word, absl::StrCat("IN: ", Shown(*e->operands[0]), " is ", std::string(TypeName(value)), " and the SELECT gives ",
                               std::string(TypeName(other)), ": CAST one of them"));
  }
  return ValueType::kBoolean;
}

ValueType Checker::CheckSubquery(Expression* e, Scope* scope) {
  const std::vector<TypedColumn> columns = CheckSelect(e->select.get(), scope);
  if (failed() || e->kind == ExpressionKind::kExists) return ValueType::kBoolean;
  if (columns.size() != 1) {
    Fail(e->offset, absl::StrCat("a SELECT used as a value must give one column, this gives ", columns.size()));
    return ValueType::kNull;
  }
  const Expression* limit = e->select->limit.get();
  if (!AtMostOneRow(*e->select) && (limit == nullptr || (limit->name != "1" && limit->name != "0"))) {
    Fail(e->offset,
         "a SELECT used as a value may give several rows, of which one would be taken silently: aggregate it, "
         "or add ORDER BY ... LIMIT 1, or join instead");
  }
  return columns[0].type;
}

ValueType Checker::CheckCase(Expression* e) {
  const size_t first = e->has_base ? 1 : 0;
  const size_t pairs = (e->operands.size() - first) / 2;
  std::vector<Expression*> whens;
  std::vector<Expression*> thens;
  if (e->has_base) whens.push_back(e->operands[0].get());
  for (size_t i = 0; i < pairs; ++i) {
    whens.push_back(e->operands[first + 2 * i].get());
    thens.push_back(e->operands[first + 2 * i + 1].get());
  }
  if (e->has_else) thens.push_back(e->operands.back().get());
  if (e->has_base) {
    Harmonise(whens, "CASE", e->offset);
  } else {
    for (const Expression* when : whens) NeedCondition(*when, "WHEN");
  }
  return Harmonise(thens, "CASE", e->offset);
}

// Equal for expressions that mean the same in one SELECT. Not a defence: a collision lets a statement pass to SQLite unchecked
// in one point.
uint64_t Checker::Hash(const Expression& e) const {
  if (e.stands_for != nullptr) return e.stands_for->hash;
  uint64_t hash = Mix(static_cast<uint64_t>(e.kind) + 1, e.negated ? 2 : 1);
  if (e.kind == ExpressionKind::kColumn) return Mix(Mix(Mix(hash, static_cast<uint64_t>(e.scope)), e.word), e.word_end);
  if (e.kind == ExpressionKind::kSubquery || e.kind == ExpressionKind::kExists || e.select) return Mix(hash, e.offset);
  hash = Mix(hash, std::hash<std::string>()(e.name));
  hash = Mix(hash, std::hash<std::string>()(e.cast_type));
  hash = Mix(hash, (e.distinct ? 1u : 0u) + (e.star ? 2u : 0u) + (e.has_base ? 4u : 0u) + (e.has_else ? 8u : 0u));
  for (const ExpressionPtr& operand : e.operands) hash = Mix(hash, operand->hash);
  for (const OrderTerm& term : e.order) hash = Mix(hash, term.expression->hash + (term.descending ? 1 : 0));
  if (e.filter) hash = Mix(hash, e.filter->hash);
  if (e.window) hash = Mix(hash, e.offset);
  return hash;
}

}  // namespace conclave::guest
