#include "lib/plan/shape.h"

#include <algorithm>

namespace conclave {
namespace {

v1::AnswerKind KindOfTerm(const Term& term) {
  if (term.arithmetic != Arithmetic::kNone) return v1::NUMBER;
  switch (term.part) {
    case DatePart::kNone: break;
    case DatePart::kDay:
    case DatePart::kYearQuarter:
    case DatePart::kYearMonth: return v1::DATE;
    case DatePart::kYear:
    case DatePart::kQuarterOfYear:
    case DatePart::kMonthOfYear: return v1::INTEGER;
    case DatePart::kWeekday: return v1::TEXT;
  }
  switch (term.column.type) {
    case v1::COLUMN_INTEGER: return v1::INTEGER;
    case v1::COLUMN_REAL: return v1::NUMBER;
    case v1::COLUMN_DATE:
    case v1::COLUMN_TIMESTAMP:
    case v1::COLUMN_TIMESTAMPTZ: return v1::DATE;
    case v1::COLUMN_TEXT: return v1::TEXT;
    default: return v1::ANSWER_KIND_UNSPECIFIED;
  }
}

v1::AnswerKind KindOfAggregate(const Aggregate& aggregate) {
  switch (aggregate.function) {
    case Function::kCountRows:
    case Function::kCount:
    case Function::kCountDistinct:
    case Function::kCountNull: return v1::INTEGER;
    case Function::kSum:
    case Function::kRange: {
      const bool whole = aggregate.term.arithmetic == Arithmetic::kNone && aggregate.term.column.type == v1::COLUMN_INTEGER;
      return whole ? v1::INTEGER : v1::NUMBER;
    }
    case Function::kMinimum:
    case Function::kMaximum: return KindOfTerm(aggregate.term);
    default: return v1::NUMBER;
  }
}

v1::AnswerKind KindOf(const Plan& plan) {
  switch (plan.subject) {
    case Subject::kColumnCount: return v1::INTEGER;
    case Subject::kColumnTypes:
    case Subject::kMissingPerColumn: return v1::TABLE;
    case Subject::kMostMissingColumns: return v1::TEXT;
    case Subject::kDistinct: return plan.keys.size() == 1 ? v1::LIST : v1::TABLE;
    case Subject::kGroups:
      if (plan.keys.empty() && plan.aggregates.size() == 1) return KindOfAggregate(plan.aggregates[0]);
      break;
    case Subject::kRows: break;
  }
  if (plan.ranking && plan.ranking->count == 1 && plan.output.size() == 1) {
    for (const Key& key : plan.keys) {
      if (key.name == plan.output[0]) return KindOfTerm(key.term);
    }
  }
  return v1::TABLE;
}

}  // namespace

bool HoldsCells(const Plan& plan) {
  const auto is_cell = [](const Term& term) { return term.arithmetic == Arithmetic::kNone && !term.column.name.empty(); };
  const bool keys = std::all_of(plan.keys.begin(), plan.keys.end(), [&](const Key& key) { return is_cell(key.term); });
  if (plan.subject == Subject::kRows || plan.subject == Subject::kDistinct) return keys;
  if (plan.subject != Subject::kGroups) return false;
  return keys && std::all_of(plan.aggregates.begin(), plan.aggregates.end(), [&](const Aggregate& aggregate) {
           const bool extreme = aggregate.function == Function::kMinimum || aggregate.function == Function::kMaximum;
           const bool shown =
               plan.output.empty() || std::find(plan.output.begin(), plan.output.end(), aggregate.name) != plan.output.end();
           return !shown || (extreme && is_cell(aggregate.term));
         });
}

v1::Expectation ShapeOf(const Plan& plan) {
  v1::Expectation shape;
  shape.set_kind(KindOf(plan));
  if (plan.format.decimals) shape.set_decimals(*plan.format.decimals);
  shape.set_unit(plan.format.unit);
  shape.set_ordered(plan.format.ordered);
  if (plan.ranking && plan.format.ordered) shape.set_top_n(static_cast<int32_t>(plan.ranking->count));
  return shape;
}

}  // namespace conclave
