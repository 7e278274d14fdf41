#include "lib/answer/wire.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/text.h"

namespace conclave {
namespace {

constexpr std::array<std::string_view, 13> kKindNames = {"unspecified", "number",   "integer", "boolean", "text",
                                                         "date",        "list",     "map",     "table",   "empty",
                                                         "undefined",   "declined", "error"};
constexpr int kMostDecimals = 100;
constexpr size_t kUnitBytes = 64;
constexpr size_t kNotes = 64;
constexpr size_t kNoteBytes = 1024;
constexpr size_t kReasonBytes = 4096;

absl::Status WrongMember(std::string_view member, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat("answer.", std::string(member), ": ", why));
}

absl::Status DecodeText(const Json& json, std::string_view member, size_t bytes, std::string* out) {
  if (!json.is_string()) return WrongMember(member, "must be a string");
  if (json.string().size() > bytes) {
    return WrongMember(member, absl::StrCat(json.string().size(), " bytes exceed ", bytes));
  }
  if (!IsValidUtf8(json.string())) return WrongMember(member, "is not valid UTF-8");
  *out = json.string();
  return absl::OkStatus();
}

absl::Status DecodeKind(const Json& json, v1::Answer* answer) {
  const Json* kind = json.Find("kind");
  if (kind == nullptr || !kind->is_string()) return WrongMember("kind", "is missing or no string");
  for (size_t i = 1; i < kKindNames.size(); ++i) {
    if (kind->string() == kKindNames[i]) {
      answer->set_kind(static_cast<v1::AnswerKind>(i));
      return absl::OkStatus();
    }
  }
  return WrongMember("kind", absl::StrCat("unknown kind \"", Excerpt(kind->string(), 40), "\""));
}

absl::Status DecodeNotes(const Json& json, v1::Answer* answer) {
  if (!json.is_object()) return WrongMember("notes", "must be an object of strings");
  if (json.members().size() > kNotes) return WrongMember("notes", absl::StrCat("more than ", kNotes, " notes"));
  for (const auto& [name, note] : json.members()) {
    const std::string place = absl::StrCat("notes[\"", Excerpt(name, 40), "\"]");
    if (name.size() > kUnitBytes || !IsValidUtf8(name)) return WrongMember(place, "the name is too long or not UTF-8");
    absl::Status decoded = DecodeText(note, place, kNoteBytes, &(*answer->mutable_notes())[name]);
    if (!decoded.ok()) return decoded;
  }
  return absl::OkStatus();
}

absl::Status DecodeError(const Json& json, v1::ProgramError* error) {
  if (!json.is_object()) return WrongMember("error", "must be an object");
  for (const auto& [name, member] : json.members()) {
    absl::Status decoded;
    if (name == "type") {
      decoded = DecodeText(member, "error.type", kUnitBytes * 4, error->mutable_type());
    } else if (name == "message") {
      decoded = DecodeText(member, "error.message", kReasonBytes, error->mutable_message());
    } else if (name == "source_line") {
      decoded = DecodeText(member, "error.source_line", kReasonBytes, error->mutable_source_line());
    } else if (name == "line") {
      const int64_t line = member.IntegerOr(-1);
      if (line < 0 || line > 10'000'000) return WrongMember("error.line", "must be a line number");
      error->set_line(static_cast<int32_t>(line));
    } else if (name == "repairable") {
      if (!member.is_boolean()) return WrongMember("error.repairable", "must be true or false");
      error->set_repairable(member.boolean());
    } else {
      return WrongMember("error", absl::StrCat("unknown member \"", Excerpt(name, 40), "\""));
    }
    if (!decoded.ok()) return decoded;
  }
  return absl::OkStatus();
}

absl::Status DecodeMember(const std::string& name, const Json& member, v1::Answer* answer) {
  if (name == "kind") return absl::OkStatus();
  if (name == "value") {
    absl::Status decoded = DecodeValue(member, answer->mutable_value());
    if (decoded.ok()) return decoded;
    const std::string message(decoded.message());
    return absl::Status(decoded.code(), absl::StrCat("answer.value", message[0] == '[' ? "" : ": ", message));
  }
  if (name == "unit") return DecodeText(member, name, kUnitBytes, answer->mutable_unit());
  if (name == "decimals") {
    const int64_t decimals = member.IntegerOr(-1);
    if (decimals < 0 || decimals > kMostDecimals) return WrongMember(name, "must be an integer from 0 to 100");
    answer->set_decimals(static_cast<int32_t>(decimals));
    return absl::OkStatus();
  }
  if (name == "ordered") {
    if (!member.is_boolean()) return WrongMember(name, "must be true or false");
    answer->set_ordered(member.boolean());
    return absl::OkStatus();
  }
  if (name == "notes") return DecodeNotes(member, answer);
  if (name == "reason") return DecodeText(member, name, kReasonBytes, answer->mutable_reason());
  if (name == "error") return DecodeError(member, answer->mutable_error());
  return absl::InvalidArgumentError(absl::StrCat("answer: unknown member \"", Excerpt(name, 40), "\""));
}

std::string_view ValueKindName(const v1::Value& value) {
  switch (value.kind_case()) {
    case v1::Value::kNull: return "null";
    case v1::Value::kBoolean: return "boolean";
    case v1::Value::kInteger: return "integer";
    case v1::Value::kNumber: return "number";
    case v1::Value::kText: return "text";
    case v1::Value::kDate: return "date";
    case v1::Value::kList: return "list";
    case v1::Value::kMap: return "map";
    case v1::Value::kTable: return "table";
    case v1::Value::KIND_NOT_SET: break;
  }
  return "nothing";
}

bool HoldsNothing(const v1::Value& value) {
  switch (value.kind_case()) {
    case v1::Value::kNull:
    case v1::Value::KIND_NOT_SET: return true;
    case v1::Value::kText: return value.text().empty();
    case v1::Value::kList: return value.list().items().empty();
    case v1::Value::kMap: return value.map().entries().empty();
    case v1::Value::kTable: return value.table().rows().empty();
    default: return false;
  }
}

bool ValueFits(const v1::Answer& answer) {
  const v1::Value& value = answer.value();
  switch (answer.kind()) {
    case v1::NUMBER: return value.has_number() || value.has_integer();
    case v1::INTEGER: return value.has_integer();
    case v1::BOOLEAN: return value.has_boolean();
    case v1::TEXT: return value.has_text();
    case v1::DATE: return value.has_date();
    case v1::LIST: return value.has_list();
    case v1::MAP: return value.has_map();
    case v1::TABLE: return value.has_table();
    case v1::EMPTY: return HoldsNothing(value);
    case v1::UNDEFINED: return !answer.has_value() || value.has_null() || value.number() == "nan";
    default: return !answer.has_value();  // DECLINED and ERROR carry no value
  }
}

absl::Status CheckKind(const v1::Answer& answer) {
  if (!ValueFits(answer)) {
    return WrongMember("value", absl::StrCat("kind \"", std::string(AnswerKindName(answer.kind())), "\" with a value of ",
                                             std::string(ValueKindName(answer.value()))));
  }
  if (!answer.reason().empty() && answer.kind() != v1::DECLINED) return WrongMember("reason", "is for kind \"declined\" only");
  if (answer.has_error() != (answer.kind() == v1::ERROR))
    return WrongMember("error", "goes with kind \"error\" and only with it");
  return absl::OkStatus();
}

v1::Answer TooLarge(const std::string& why) {
  v1::Answer answer;
  answer.set_kind(v1::ERROR);
  answer.mutable_error()->set_type("AnswerTooLarge");
  answer.mutable_error()->set_message(
      absl::StrCat(why, "; return fewer rows, or aggregate them, and write the rest to a file"));
  answer.mutable_error()->set_repairable(true);
  return answer;
}

}  // namespace

absl::StatusOr<v1::Answer> DecodeAnswer(const Json& json) {
  if (!json.is_object()) return absl::InvalidArgumentError("answer: must be an object");
  v1::Answer answer;
  if (absl::Status kind = DecodeKind(json, &answer); !kind.ok()) return kind;
  for (const auto& [name, member] : json.members()) {
    absl::Status decoded = DecodeMember(name, member, &answer);
    if (absl::IsResourceExhausted(decoded)) return TooLarge(std::string(decoded.message()));
    if (!decoded.ok()) return decoded;
  }
  if (absl::Status checked = CheckKind(answer); !checked.ok()) return checked;
  return answer;
}

Json EncodeAnswer(const v1::Answer& answer) {
  Json json = Json::Object();
  json.Set("kind", Json::String(std::string(AnswerKindName(answer.kind()))));
  if (answer.has_value()) json.Set("value", EncodeValue(answer.value()));
  if (!answer.unit().empty()) json.Set("unit", Json::String(answer.unit()));
  if (answer.has_decimals()) json.Set("decimals", Json::Integer(answer.decimals()));
  if (answer.ordered()) json.Set("ordered", Json::Boolean(true));
  if (!answer.notes().empty()) {
    std::vector<std::pair<std::string, std::string>> sorted(answer.notes().begin(), answer.notes().end());
    std::sort(sorted.begin(), sorted.end());
    Json notes = Json::Object();
    for (auto& [name, note] : sorted) notes.Set(std::move(name), Json::String(std::move(note)));
    json.Set("notes", std::move(notes));
  }
  if (!answer.reason().empty()) json.Set("reason", Json::String(answer.reason()));
  if (answer.has_error()) {
    const v1::ProgramError& error = answer.error();
    json.Set("error", Json::Object({{"type", Json::String(error.type())},
                                    {"message", Json::String(error.message())},
                                    {"line", Json::Integer(error.line())},
                                    {"source_line", Json::String(error.source_line())},
                                    {"repairable", Json::Boolean(error.repairable())}}));
  }
  return json;
}

std::string_view AnswerKindName(v1::AnswerKind kind) {
  const auto index = static_cast<size_t>(kind);
  return index < kKindNames.size() ? kKindNames[index] : kKindNames[0];
}

}  // namespace conclave
