#include "lib/guest/sql/result_rows.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/text.h"
#include "lib/guest/sql/calendar.h"

namespace conclave::guest {
namespace {

Json Tagged(std::string_view tag, std::string text) {
  return Json::Object({{std::string(tag), Json::String(std::move(text))}});
}

// A real always looks like one: "3.0", not "3".
Json RealValue(double value) {
  if (std::isnan(value)) return Tagged("$num", "nan");
  if (std::isinf(value)) return Tagged("$num", value > 0 ? "inf" : "-inf");
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string lexeme(buffer, error == std::errc() ? end : buffer);
  if (lexeme.find_first_not_of("-0123456789") == std::string::npos) lexeme += ".0";
  return Json::Number(std::move(lexeme));
}

// From the form that sorts to the form of the wire: "2024-03-01T10:00:00Z".
std::optional<std::string> WireDate(std::string_view text) {
  const std::optional<Point> point = ParsePoint(text);
  if (!point) return std::nullopt;
  std::string out = FormatPoint(*point);
  if (point->kind == PointKind::kDate) return out;
  out[10] = 'T';
  if (point->kind == PointKind::kInstant) out.replace(out.size() - 3, 3, "Z");
  return out;
}

}  // namespace

ResultFault ResultRows::Add(sqlite3_stmt* statement) {
  if (rows_.size() >= bounds_.rows || (rows_.size() + 1) * columns_.size() > bounds_.values) {
    return {"AnswerTooLarge",
            absl::StrCat("the result has more than ", rows_.size(), " rows of ", columns_.size(),
                         columns_.size() == 1 ? " column" : " columns",
                         ": aggregate it (GROUP BY with count, sum or avg), or keep the first rows with ORDER BY ... LIMIT n")};
  }
  ResultFault fault;
  Json row = Json::Array();
  for (int i = 0; i < static_cast<int>(columns_.size()) && fault.type.empty(); ++i) row.Append(Cell(statement, i, &fault));
  if (fault.type.empty() && bytes_ > bounds_.bytes) {
    fault = {"AnswerTooLarge", absl::StrCat("the texts of the result exceed ", bounds_.bytes, " bytes after ", rows_.size() + 1,
                                            " rows: aggregate, or name fewer columns")};
  }
  rows_.push_back(std::move(row));
  return fault;
}

Json ResultRows::Cell(sqlite3_stmt* statement, int index, ResultFault* fault) {
  const TypedColumn& column = columns_[static_cast<size_t>(index)];
  const bool real = column.type == ValueType::kReal || column.type == ValueType::kNumber;
  bytes_ += 8;
  switch (sqlite3_column_type(statement, index)) {
    case SQLITE_NULL: return Json();
    case SQLITE_INTEGER: {
      const int64_t value = sqlite3_column_int64(statement, index);
      if (column.type == ValueType::kBoolean) return Json::Boolean(value != 0);
      return real ? Json::Number(absl::StrCat(value, ".0")) : Json::Integer(value);
    }
    case SQLITE_FLOAT: {
      const double value = sqlite3_column_double(statement, index);
      if (column.type == ValueType::kInteger) {
        // SQLite goes on with reals when integers overflow.
        *fault = {"SqlError", absl::StrCat("integer overflow in column \"", Excerpt(column.name, 60), "\": the value is about ",
                                           value, ", beyond 64 bits: CAST the operands AS DOUBLE")};
      }
      return RealValue(value);
    }
    default: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, index));
      const std::string_view bytes(text == nullptr ? "" : text, static_cast<size_t>(sqlite3_column_bytes(statement, index)));
      bytes_ += bytes.size();
      if (IsTemporal(column.type)) {
        if (std::optional<std::string> date = WireDate(bytes)) return Tagged("$date", std::move(*date));
      }
      return Json::String(IsValidUtf8(bytes) ? std::string(bytes) : RepairUtf8(bytes));
    }
  }
}

std::string_view ResultRows::KindOfScalar(const Json& value) const {
  if (value.is_boolean()) return "boolean";
  if (value.is_string()) return "text";
  if (value.is_object()) return value.Find("$date") != nullptr ? "date" : "number";
  return value.lexeme().find_first_of(".eE") == std::string::npos ? "integer" : "number";
}

Json ResultRows::Answer() {
  Json answer = Json::Object();
  if (rows_.empty()) {
    answer.Set("kind", Json::String("empty"));
  } else if (rows_.size() == 1 && columns_.size() == 1) {
    const Json& value = rows_[0].items()[0];
    answer.Set("kind", Json::String(std::string(value.is_null() ? "undefined" : KindOfScalar(value))));
    if (!value.is_null()) answer.Set("value", value);
  } else {
    Json names = Json::Array();
    for (const TypedColumn& column : columns_) names.Append(Json::String(RepairUtf8(column.name)));
    Json table = Json::Object({{"columns", std::move(names)}, {"rows", Json::Array(std::move(rows_))}});
    answer.Set("kind", Json::String("table"));
    answer.Set("value", Json::Object({{"$table", std::move(table)}}));
  }
  return answer;
}

}  // namespace conclave::guest
