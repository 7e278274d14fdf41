#include "lib/base/json.h"

#include <locale.h>

#include <charconv>
#include <cmath>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/text.h"

// What the parser takes for impossible must not end the process it is in, which is the host's.
#define JSON_ASSERT(condition) static_cast<void>(0)
#include "nlohmann/json.hpp"

namespace conclave {
namespace {

// The parser reads and gives numbers with the decimal point of the process's locale, which is the host's and may be a comma.
// While this lives, it is a point on this thread.
class PointAsDecimalMark {
 public:
  PointAsDecimalMark() : before_(::uselocale(Plain())) {}
  ~PointAsDecimalMark() { ::uselocale(before_); }
  PointAsDecimalMark(const PointAsDecimalMark&) = delete;
  PointAsDecimalMark& operator=(const PointAsDecimalMark&) = delete;

 private:
  static locale_t Plain() {
    static const locale_t plain = ::newlocale(LC_ALL_MASK, "C", nullptr);
    return plain;
  }

  const locale_t before_;
};

// Builds a Json from parser events and stops at the first bound that is exceeded.
class JsonBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonBuilder(const JsonBounds& bounds, Json* root) : bounds_(bounds), root_(root) {}

  const std::string& error() const { return error_; }

  bool null() override { return Put(Json()); }
  bool boolean(bool value) override { return Put(Json::Boolean(value)); }
  bool number_integer(number_integer_t value) override { return Put(Json::Number(std::to_string(value))); }
  bool number_unsigned(number_unsigned_t value) override { return Put(Json::Number(std::to_string(value))); }
  bool number_float(number_float_t, const string_t& lexeme) override { return Put(Json::Number(lexeme)); }
  bool string(string_t& value) override { return Put(Json::String(std::move(value))); }
  bool binary(binary_t&) override { return Fail("binary value"); }
  bool start_object(std::size_t) override { return Open(Json::Object()); }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t) override { return Open(Json::Array()); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    if (!open_.back().names.insert(name).second) {
      return Fail(absl::StrCat("duplicate member \"", Excerpt(name, 40), "\""));
    }
    open_.back().name = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    return Fail(absl::StrCat("malformed JSON near byte ", position));
  }

 private:
  struct Level {
    Json value;
    std::string name;
    std::set<std::string> names;
  };

  bool Fail(std::string error) {
    if (error_.empty()) error_ = std::move(error);
    return false;
  }

  bool Put(Json value) {
    if (++values_ > bounds_.values) return Fail(absl::StrCat("more than ", bounds_.values, " values"));
    if (open_.empty()) {
      *root_ = std::move(value);
    } else if (open_.back().value.is_object()) {
      open_.back().value.Set(std::move(open_.back().name), std::move(value));
    } else {
      open_.back().value.Append(std::move(value));
    }
    return true;
  }

  bool Open(Json container) {
    if (static_cast<int>(open_.size()) >= bounds_.depth) {
      return Fail(absl::StrCat("nested deeper than ", bounds_.depth, " levels"));
    }
    open_.push_back(Level{std::move(container), {}, {}});
    return true;
  }

  bool Close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return Put(std::move(value));
  }

  const JsonBounds& bounds_;
  Json* root_;
  std::vector<Level> open_;
  size_t values_ = 0;
  std::string error_;
};

void AppendQuoted(std::string_view text, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  out->push_back('"');
  for (char c : text) {
    switch (c) {
      case '"': *out += "\\\""; break;
      case '\\': *out += "\\\\"; break;
      case '\n': *out += "\\n"; break;
      case '\r': *out += "\\r"; break;
      case '\t': *out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          *out += "\\u00";
          out->push_back(kHex[static_cast<unsigned char>(c) >> 4]);
          out->push_back(kHex[c & 15]);
        } else {
          out->push_back(c);
        }
    }
  }
  out->push_back('"');
}

void NewLine(int indent, int depth, std::string* out) {
  if (indent > 0) out->append("\n").append(static_cast<size_t>(indent) * static_cast<size_t>(depth), ' ');
}

void AppendJson(const Json& json, int indent, int depth, std::string* out) {
  bool first = true;
  auto separate = [&] {
    if (!first) out->push_back(',');
    first = false;
    NewLine(indent, depth + 1, out);
  };
  switch (json.type()) {
    case Json::Type::kNull: *out += "null"; return;
    case Json::Type::kBoolean: *out += json.boolean() ? "true" : "false"; return;
    case Json::Type::kNumber: *out += json.lexeme(); return;
    case Json::Type::kString: AppendQuoted(json.string(), out); return;
    case Json::Type::kArray:
      out->push_back('[');
      for (const Json& item : json.items()) {
        separate();
        AppendJson(item, indent, depth + 1, out);
      }
      if (!first) NewLine(indent, depth, out);
      out->push_back(']');
      return;
    case Json::Type::kObject:
      out->push_back('{');
      for (const auto& [name, value] : json.members()) {
        separate();
        AppendQuoted(name, out);
        *out += indent > 0 ? ": " : ":";
        AppendJson(value, indent, depth + 1, out);
      }
      if (!first) NewLine(indent, depth, out);
      out->push_back('}');
      return;
  }
}

}  // namespace

Json Json::Boolean(bool value) {
  Json json;
  json.type_ = Type::kBoolean;
  json.boolean_ = value;
  return json;
}

Json Json::Integer(int64_t value) { return Number(std::to_string(value)); }

Json Json::Number(std::string lexeme) {
  Json json;
  json.type_ = Type::kNumber;
  json.text_ = std::move(lexeme);
  return json;
}

Json Json::Real(double value) {
  if (!std::isfinite(value)) return Json();
  char buffer[32];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return Number(std::string(buffer, error == std::errc() ? end : buffer));
}

Json Json::String(std::string value) {
  Json json;
  json.type_ = Type::kString;
  json.text_ = std::move(value);
  return json;
}

Json Json::Array(std::vector<Json> items) {
  Json json;
  json.type_ = Type::kArray;
  json.items_ = std::move(items);
  return json;
}

Json Json::Object(std::vector<Member> members) {
  Json json;
  json.type_ = Type::kObject;
  json.members_ = std::move(members);
  return json;
}

const Json* Json::Find(std::string_view name) const {
  for (const auto& [key, value] : members_) {
    if (key == name) return &value;
  }
  return nullptr;
}

int64_t Json::IntegerOr(int64_t fallback) const {
  if (!is_number()) return fallback;
  int64_t value = 0;
  const char* end = text_.data() + text_.size();
  auto [stop, error] = std::from_chars(text_.data(), end, value);
  return error == std::errc() && stop == end ? value : fallback;
}

std::string Json::StringOr(std::string_view fallback) const { return is_string() ? text_ : std::string(fallback); }

std::string Json::Text(int indent) const {
  std::string out;
  AppendJson(*this, indent, 0, &out);
  return out;
}

absl::StatusOr<Json> ParseJson(std::string_view text, const JsonBounds& bounds) {
  if (text.size() > bounds.bytes) {
    return absl::InvalidArgumentError(absl::StrCat("JSON of ", text.size(), " bytes exceeds ", bounds.bytes));
  }
  Json root;
  JsonBuilder builder(bounds, &root);
  const PointAsDecimalMark mark;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
    return absl::InvalidArgumentError(builder.error().empty() ? "malformed JSON" : builder.error());
  }
  return root;
}

}  // namespace conclave
