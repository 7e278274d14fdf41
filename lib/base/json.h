// Json: a JSON document as a value, with number lexemes kept, and a parser that is safe on hostile bytes.
//
// Thread safety: value type.
// Ownership: value type.
#ifndef CONCLAVE_LIB_BASE_JSON_H_
#define CONCLAVE_LIB_BASE_JSON_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace conclave {

class Json {
 public:
  enum class Type { kNull, kBoolean, kNumber, kString, kArray, kObject };
  using Member = std::pair<std::string, Json>;

  Json() = default;  // null
  static Json Boolean(bool value);
  static Json Integer(int64_t value);
  // `lexeme` must be a JSON number; it is written out as it is.
  static Json Number(std::string lexeme);
  // The shortest decimal that reads back as `value`; non-finite values become null.
  static Json Real(double value);
  static Json String(std::string value);
  static Json Array(std::vector<Json> items = {});
  static Json Object(std::vector<Member> members = {});

  Type type() const { return type_; }
  bool is_null() const { return type_ == Type::kNull; }
  bool is_boolean() const { return type_ == Type::kBoolean; }
  bool is_number() const { return type_ == Type::kNumber; }
  bool is_string() const { return type_ == Type::kString; }
  bool is_array() const { return type_ == Type::kArray; }
  bool is_object() const { return type_ == Type::kObject; }

  bool boolean() const { return boolean_; }
  // The number as it stood in the text: "1.50", "1e400", "18446744073709551616".
  const std::string& lexeme() const { return text_; }
  const std::string& string() const { return text_; }
  const std::vector<Json>& items() const { return items_; }
  const std::vector<Member>& members() const { return members_; }

  // The member named `name`, or nullptr (also when this is no object).
  const Json* Find(std::string_view name) const;
  // The number as int64 when it is an integer lexeme that fits, else `fallback`.
  int64_t IntegerOr(int64_t fallback) const;
  std::string StringOr(std::string_view fallback) const;
  bool BooleanOr(bool fallback) const { return is_boolean() ? boolean_ : fallback; }

  void Append(Json item) { items_.push_back(std::move(item)); }
  void Set(std::string name, Json value) { members_.emplace_back(std::move(name), std::move(value)); }

  // Compact UTF-8 text; with `indent` > 0 one member or item a line.
  std::string Text(int indent = 0) const;

 private:
  Type type_ = Type::kNull;
  bool boolean_ = false;
  std::string text_;
  std::vector<Json> items_;
  std::vector<Member> members_;
};

// Bounds of what ParseJson accepts; beyond them the text is refused before memory is spent.
struct JsonBounds {
  size_t bytes = 64u << 20;
  int depth = 64;
  size_t values = 4'000'000;
};

// Parses one RFC 8259 document. InvalidArgument with the position when it is malformed, has invalid UTF-8, a duplicate member
// name, or exceeds a bound.
absl::StatusOr<Json> ParseJson(std::string_view text, const JsonBounds& bounds = JsonBounds());

}  // namespace conclave

#endif  // CONCLAVE_LIB_BASE_JSON_H_
