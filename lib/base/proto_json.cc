#include "lib/base/proto_json.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "conclave/v1/answer.pb.h"
#include "lib/base/edit_distance.h"
#include "lib/base/text.h"
#include "lib/base/value_json.h"

namespace conclave {

extern const unsigned char kDescriptorSet[];
extern const std::size_t kDescriptorSetSize;

namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MessageLite;
using google::protobuf::Reflection;

constexpr char kValueType[] = "conclave.v1.Value";

// The schema in a pool of its own, which Protocol Buffers' registry of the process does not know.
class Schema {
 public:
  // That of this process, built with the first conversion. Never destroyed, because a thread may convert while the process
  // ends. A child of fork() builds another one, since a thread that the child has not may have held a lock of this.
  static absl::StatusOr<Schema*> OfProcess() {
    static std::atomic<Schema*> current{nullptr};
    Schema* known = current.load();
    while (known == nullptr || known->process_ != ::getpid()) {
      absl::StatusOr<std::unique_ptr<Schema>> fresh = Build(known);
      if (!fresh.ok()) return fresh.status();
      if (current.compare_exchange_strong(known, fresh->get())) return fresh->release();
    }
    return known;
  }

  // A new message of the type of `like`, filled from it when `copy`. Any number of threads at once.
  absl::StatusOr<std::unique_ptr<Message>> Reflect(const MessageLite& like, bool copy) {
    const Descriptor* type = pool_.FindMessageTypeByName(like.GetTypeName());
    if (type == nullptr) return absl::InternalError(absl::StrCat(like.GetTypeName(), " is not a message of conclave.v1"));
    std::unique_ptr<Message> message(factory_.GetPrototype(type)->New());
    if (copy && !message->ParseFromString(like.SerializeAsString())) {
      return absl::InvalidArgumentError(absl::StrCat(like.GetTypeName(), " holds text that is not valid UTF-8"));
    }
    return message;
  }

 private:
  explicit Schema(const Schema* inherited) : inherited_(inherited) {}

  static absl::StatusOr<std::unique_ptr<Schema>> Build(const Schema* inherited) {
    std::unique_ptr<Schema> schema(new Schema(inherited));
    google::protobuf::FileDescriptorSet files;
    if (!files.ParseFromArray(kDescriptorSet, static_cast<int>(kDescriptorSetSize))) {
      return absl::InternalError("the embedded descriptor set does not parse");
    }
    for (const auto& file : files.file()) {
      if (schema->pool_.BuildFile(file) == nullptr) {
        return absl::InternalError(absl::StrCat("the embedded description of ", file.name(), " does not build"));
      }
    }
    return schema;
  }

  // That of the parent, which cannot be freed: its locks may be held for ever.
  [[maybe_unused]] const Schema* const inherited_;
  const pid_t process_ = ::getpid();
  google::protobuf::DescriptorPool pool_;
  google::protobuf::DynamicMessageFactory factory_;
};

bool IsUnspecified(const EnumValueDescriptor& value) {
  return value.number() == 0 && std::string_view(value.name()).ends_with("_UNSPECIFIED");
}

// Length of the prefix, up to and with an underscore, that all values but the unspecified one share.
size_t SharedPrefix(const EnumDescriptor& type) {
  std::string_view shared;
  int named = 0;
  for (int i = 0; i < type.value_count(); ++i) {
    if (IsUnspecified(*type.value(i))) continue;
    const std::string_view name = type.value(i)->name();
    if (named++ == 0) shared = name;
    size_t same = 0;
    while (same < shared.size() && same < name.size() && shared[same] == name[same]) ++same;
    shared = shared.substr(0, same);
  }
  const size_t underscore = shared.rfind('_');
  return named < 2 || underscore == std::string_view::npos ? 0 : underscore + 1;
}

std::string EnumName(const EnumValueDescriptor& value) {
  if (IsUnspecified(value)) return "unspecified";
  return absl::AsciiStrToLower(value.name().substr(SharedPrefix(*value.type())));
}

// " (did you mean "path"?)", or nothing when no candidate is close.
std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > 80) return "";
  const std::string* closest = nullptr;
  size_t best = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(absl::AsciiStrToLower(std::string(name)), candidate);
    if (distance < best) {
      best = distance;
      closest = &candidate;
    }
  }
  return closest == nullptr ? "" : absl::StrCat(" (did you mean \"", *closest, "\"?)");
}

// --- to JSON ---

Json MessageToTree(const Message& message);

Json RealToJson(double value) {
  if (std::isnan(value)) return Json::String("nan");
  if (std::isinf(value)) return Json::String(value > 0 ? "inf" : "-inf");
  return Json::Real(value);
}

Json StringToJson(const FieldDescriptor& field, const std::string& text) {
  if (field.type() == FieldDescriptor::TYPE_STRING || IsValidUtf8(text)) return Json::String(text);
  return Json::Object({{"$base64", Json::String(absl::Base64Escape(text))}});
}

Json EnumToJson(const FieldDescriptor& field, int number) {
  const EnumValueDescriptor* value = field.enum_type()->FindValueByNumber(number);
  return value == nullptr ? Json::Integer(number) : Json::String(EnumName(*value));
}

// The value of `field`, of its element `index` when it is repeated.
Json FieldToJson(const Message& message, const FieldDescriptor& field, int index) {
  const Reflection& reflection = *message.GetReflection();
  const bool repeated = field.is_repeated();
  const FieldDescriptor* f = &field;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return Json::Integer(repeated ? reflection.GetRepeatedInt32(message, f, index) : reflection.GetInt32(message, f));
    case FieldDescriptor::CPPTYPE_INT64:
      return Json::Integer(repeated ? reflection.GetRepeatedInt64(message, f, index) : reflection.GetInt64(message, f));
    case FieldDescriptor::CPPTYPE_UINT32:
      return Json::Integer(repeated ? reflection.GetRepeatedUInt32(message, f, index) : reflection.GetUInt32(message, f));
    case FieldDescriptor::CPPTYPE_UINT64:
      return Json::Number(
          absl::StrCat(repeated ? reflection.GetRepeatedUInt64(message, f, index) : reflection.GetUInt64(message, f)));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return RealToJson(repeated ? reflection.GetRepeatedDouble(message, f, index) : reflection.GetDouble(message, f));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return RealToJson(repeated ? reflection.GetRepeatedFloat(message, f, index) : reflection.GetFloat(message, f));
    case FieldDescriptor::CPPTYPE_BOOL:
      return Json::Boolean(repeated ? reflection.GetRepeatedBool(message, f, index) : reflection.GetBool(message, f));
    case FieldDescriptor::CPPTYPE_ENUM:
      return EnumToJson(field,
                        repeated ? reflection.GetRepeatedEnumValue(message, f, index) : reflection.GetEnumValue(message, f));
    case FieldDescriptor::CPPTYPE_STRING:
      return StringToJson(field, repeated ? reflection.GetRepeatedString(message, f, index) : reflection.GetString(message, f));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return MessageToTree(repeated ? reflection.GetRepeatedMessage(message, f, index) : reflection.GetMessage(message, f));
  }
  return Json();
}

Json MapToJson(const Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<Json::Member> members;
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    const Message& entry = reflection.GetRepeatedMessage(message, &field, i);
    const Json key = FieldToJson(entry, *field.message_type()->map_key(), 0);
    members.emplace_back(key.is_boolean() ? (key.boolean() ? "true" : "false") : key.string(),
                         FieldToJson(entry, *field.message_type()->map_value(), 0));
  }
  std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return Json::Object(std::move(members));
}

Json MessageToTree(const Message& message) {
  if (message.GetDescriptor()->full_name() == kValueType) {
    v1::Value value;
    value.ParseFromString(message.SerializeAsString());
    return EncodeValue(value);
  }
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  std::sort(fields.begin(), fields.end(), [](auto* a, auto* b) { return a->number() < b->number(); });
  Json json = Json::Object();
  for (const FieldDescriptor* field : fields) {
    if (field->is_map()) {
      json.Set(field->name(), MapToJson(message, *field));
    } else if (field->is_repeated()) {
      Json items = Json::Array();
      for (int i = 0; i < message.GetReflection()->FieldSize(message, field); ++i)
        items.Append(FieldToJson(message, *field, i));
      json.Set(field->name(), std::move(items));
    } else {
      json.Set(field->name(), FieldToJson(message, *field, 0));
    }
  }
  return json;
}

// --- from JSON ---

absl::Status TreeToMessage(const Json& json, const std::string& place, Message* message);

absl::Status WrongAt(const std::string& place, const std::string& why) {
  absl::Status status = absl::InvalidArgumentError(absl::StrCat(place.empty() ? "the document" : place, ": ", why));
  if (!place.empty()) status.SetPayload(kMemberPayload, absl::Cord(place));
  return status;
}

std::string Shown(const Json& json) { return Excerpt(json.is_array() || json.is_object() ? "..." : json.Text(), 40); }

template <typename Integer>
absl::StatusOr<Integer> ToInteger(const Json& json, const std::string& place) {
  if (!json.is_number()) return WrongAt(place, "must be an integer");
  const std::string& lexeme = json.lexeme();
  Integer value = 0;
  const auto [end, error] = std::from_chars(lexeme.data(), lexeme.data() + lexeme.size(), value);
  const bool whole = IsIntegerLexeme(lexeme);
  if (error == std::errc() && end == lexeme.data() + lexeme.size()) return value;
  if (!whole) return WrongAt(place, absl::StrCat("must be an integer, not ", Shown(json)));
  return WrongAt(place, absl::StrCat(Shown(json), " is out of range (", std::numeric_limits<Integer>::min(), " to ",
                                     std::numeric_limits<Integer>::max(), ")"));
}

absl::StatusOr<double> ToReal(const Json& json, const std::string& place) {
  if (json.is_string()) {
    if (json.string() == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (json.string() == "inf") return std::numeric_limits<double>::infinity();
    if (json.string() == "-inf") return -std::numeric_limits<double>::infinity();
  }
  if (!json.is_number()) return WrongAt(place, "must be a number");
  const std::string& lexeme = json.lexeme();
  double value = 0;
  const auto [end, error] = std::from_chars(lexeme.data(), lexeme.data() + lexeme.size(), value);
  if (error != std::errc() || end != lexeme.data() + lexeme.size()) {
    return WrongAt(place, absl::StrCat(Shown(json), " is out of range"));
  }
  return value;
}

absl::StatusOr<int> ToEnum(const Json& json, const std::string& place, const EnumDescriptor& type) {
  if (json.is_number()) return ToInteger<int32_t>(json, place);
  if (!json.is_string()) return WrongAt(place, "must be the name of a value");
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i) {
    names.push_back(EnumName(*type.value(i)));
    if (names.back() == json.string()) return type.value(i)->number();
  }
  return WrongAt(place, absl::StrCat("unknown value ", Shown(json), DidYouMean(json.string(), names)));
}

absl::StatusOr<std::string> ToText(const Json& json, const std::string& place, const FieldDescriptor& field) {
  const bool bytes = field.type() == FieldDescriptor::TYPE_BYTES;
  if (json.is_string()) {
    if (!IsValidUtf8(json.string())) return WrongAt(place, "is not valid UTF-8");
    return json.string();
  }
  const Json* encoded = bytes && json.members().size() == 1 ? json.Find("$base64") : nullptr;
  std::string decoded;
  if (encoded != nullptr && encoded->is_string() && absl::Base64Unescape(encoded->string(), &decoded)) return decoded;
  return WrongAt(place, bytes ? "must be text or {\"$base64\": \"...\"}" : "must be text");
}

// Sets `field`, or adds to it when it is repeated. `set` and `add` are the functions of Reflection for the type of `value`.
template <typename Value, typename Set, typename Add>
absl::Status Put(absl::StatusOr<Value> value, const FieldDescriptor& field, Message* message, Set set, Add add) {
  if (!value.ok()) return value.status();
  const Reflection& reflection = *message->GetReflection();
  if (field.is_repeated()) {
    (reflection.*add)(message, &field, *std::move(value));
  } else {
    (reflection.*set)(message, &field, *std::move(value));
  }
  return absl::OkStatus();
}

absl::Status JsonToField(const Json& json, const std::string& place, const FieldDescriptor& field, Message* message) {
  using R = Reflection;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return Put(ToInteger<int32_t>(json, place), field, message, &R::SetInt32, &R::AddInt32);
    case FieldDescriptor::CPPTYPE_INT64:
      return Put(ToInteger<int64_t>(json, place), field, message, &R::SetInt64, &R::AddInt64);
    case FieldDescriptor::CPPTYPE_UINT32:
      return Put(ToInteger<uint32_t>(json, place), field, message, &R::SetUInt32, &R::AddUInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return Put(ToInteger<uint64_t>(json, place), field, message, &R::SetUInt64, &R::AddUInt64);
    case FieldDescriptor::CPPTYPE_DOUBLE: return Put(ToReal(json, place), field, message, &R::SetDouble, &R::AddDouble);
    case FieldDescriptor::CPPTYPE_FLOAT: {
      absl::StatusOr<double> value = ToReal(json, place);
      if (!value.ok()) return value.status();
      return Put(absl::StatusOr<float>(static_cast<float>(*value)), field, message, &R::SetFloat, &R::AddFloat);
    }
    case FieldDescriptor::CPPTYPE_BOOL:
      if (!json.is_boolean()) return WrongAt(place, "must be true or false");
      return Put(absl::StatusOr<bool>(json.boolean()), field, message, &R::SetBool, &R::AddBool);
    case FieldDescriptor::CPPTYPE_ENUM:
      return Put(ToEnum(json, place, *field.enum_type()), field, message, &R::SetEnumValue, &R::AddEnumValue);
    case FieldDescriptor::CPPTYPE_STRING: return Put(ToText(json, place, field), field, message, &R::SetString, &R::AddString);
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      const Reflection& reflection = *message->GetReflection();
      return TreeToMessage(
          json, place,
          field.is_repeated() ? reflection.AddMessage(message, &field) : reflection.MutableMessage(message, &field));
    }
  }
  return absl::OkStatus();
}

absl::Status JsonToMap(const Json& json, const std::string& place, const FieldDescriptor& field, Message* message) {
  if (!json.is_object()) return WrongAt(place, "must be an object");
  const FieldDescriptor& key = *field.message_type()->map_key();
  if (key.type() != FieldDescriptor::TYPE_STRING) return absl::InternalError("only maps with text keys have a JSON form");
  for (const auto& [name, member] : json.members()) {
    Message* entry = message->GetReflection()->AddMessage(message, &field);
    const std::string entry_place = absl::StrCat(place, "[\"", Excerpt(name, 40), "\"]");
    absl::Status put = JsonToField(Json::String(name), entry_place, key, entry);
    if (put.ok()) put = JsonToField(member, entry_place, *field.message_type()->map_value(), entry);
    if (!put.ok()) return put;
  }
  return absl::OkStatus();
}

absl::Status JsonToValueMessage(const Json& json, const std::string& place, Message* message) {
  v1::Value value;
  absl::Status decoded = DecodeValue(json, &value);
  if (!decoded.ok()) {
    const std::string why(decoded.message());
    absl::Status wrong(decoded.code(), absl::StrCat(place, why[0] == '[' ? "" : ": ", why));
    wrong.SetPayload(kMemberPayload, absl::Cord(place));
    return wrong;
  }
  return message->ParseFromString(value.SerializeAsString()) ? absl::OkStatus() : WrongAt(place, "does not fit the schema");
}

absl::Status JsonToMember(const std::string& name, const Json& json, const std::string& parent, Message* message) {
  const Descriptor& type = *message->GetDescriptor();
  const std::string place = absl::StrCat(parent, parent.empty() ? "" : ".", Excerpt(name, 60));
  const FieldDescriptor* field = type.FindFieldByName(name);
  if (field == nullptr) {
    std::vector<std::string> names;
    for (int i = 0; i < type.field_count(); ++i) names.push_back(type.field(i)->name());
    return WrongAt(place, absl::StrCat("unknown member", DidYouMean(name, names)));
  }
  const bool is_value = field->message_type() != nullptr && field->message_type()->full_name() == kValueType;
  if (json.is_null() && (field->is_repeated() || !is_value)) return absl::OkStatus();
  if (field->is_map()) return JsonToMap(json, place, *field, message);
  if (!field->is_repeated()) return JsonToField(json, place, *field, message);
  if (!json.is_array()) return WrongAt(place, "must be an array");
  for (size_t i = 0; i < json.items().size(); ++i) {
    absl::Status put = JsonToField(json.items()[i], absl::StrCat(place, "[", i, "]"), *field, message);
    if (!put.ok()) return put;
  }
  return absl::OkStatus();
}

absl::Status TreeToMessage(const Json& json, const std::string& place, Message* message) {
  if (message->GetDescriptor()->full_name() == kValueType) return JsonToValueMessage(json, place, message);
  if (!json.is_object()) return WrongAt(place, "must be an object");
  for (const auto& [name, member] : json.members()) {
    if (absl::Status put = JsonToMember(name, member, place, message); !put.ok()) return put;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Json> MessageToJsonValue(const MessageLite& message) {
  absl::StatusOr<Schema*> schema = Schema::OfProcess();
  if (!schema.ok()) return schema.status();
  absl::StatusOr<std::unique_ptr<Message>> reflected = (*schema)->Reflect(message, true);
  if (!reflected.ok()) return reflected.status();
  return MessageToTree(**reflected);
}

absl::StatusOr<std::string> MessageToJson(const MessageLite& message, int indent) {
  absl::StatusOr<Json> json = MessageToJsonValue(message);
  if (!json.ok()) return json.status();
  return json->Text(indent);
}

absl::Status JsonToMessage(const Json& json, MessageLite* message) {
  absl::StatusOr<Schema*> schema = Schema::OfProcess();
  if (!schema.ok()) return schema.status();
  absl::StatusOr<std::unique_ptr<Message>> reflected = (*schema)->Reflect(*message, false);
  if (!reflected.ok()) return reflected.status();
  if (absl::Status read = TreeToMessage(json, "", reflected->get()); !read.ok()) return read;
  if (!message->ParseFromString((*reflected)->SerializeAsString())) {
    return absl::InternalError(absl::StrCat(message->GetTypeName(), " does not match the embedded schema"));
  }
  return absl::OkStatus();
}

absl::Status JsonToMessage(std::string_view text, MessageLite* message, const JsonBounds& bounds) {
  absl::StatusOr<Json> json = ParseJson(text, bounds);
  if (!json.ok()) return json.status();
  return JsonToMessage(*json, message);
}

}  // namespace conclave
