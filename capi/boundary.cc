#include "capi/boundary.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/json.h"
#include "lib/base/proto_json.h"
#include "lib/base/text.h"

namespace conclave::capi {
namespace {

thread_local int callback_depth = 0;

// What a message may be about: the first word of the field that it then begins with, `datasets[0].path: no such file`.
constexpr std::string_view kRoots[] = {"datasets", "context", "question", "personas", "language", "code",
                                       "options",  "data",    "kind",     "format",   "name",     "family",
                                       "token",    "json",    "a",        "b",        "out",      "path",
                                       "id",       "engine",  "job",      "result",   "function", "expectation"};

// The field that `message` begins with.
std::string FieldBefore(const std::string& message) {
  size_t end = 0;
  while (end < message.size() && (absl::ascii_islower(static_cast<unsigned char>(message[end])) ||
                                  absl::ascii_isdigit(static_cast<unsigned char>(message[end])) || message[end] == '_' ||
                                  message[end] == '.' || message[end] == '[' || message[end] == ']')) {
    ++end;
  }
  if (end + 1 >= message.size() || message[end] != ':' || message[end + 1] != ' ') return "";
  const std::string field = message.substr(0, end);
  const std::string root = field.substr(0, field.find_first_of(".["));
  return std::find(std::begin(kRoots), std::end(kRoots), root) == std::end(kRoots) ? "" : field;
}

std::string FieldOf(const absl::Status& status, const std::string& message) {
  const auto member = status.GetPayload(kMemberPayload);
  return member.has_value() ? RepairUtf8(std::string(*member)) : FieldBefore(message);
}

std::string DetailOf(conclave_code code, const std::string& message, const std::string& field) {
  Json detail = Json::Object();
  detail.Set("code", Json::String(conclave_code_name(code)));
  detail.Set("message", Json::String(message));
  if (!field.empty()) detail.Set("field", Json::String(field));
  return detail.Text();
}

}  // namespace

conclave_code Report(const absl::Status& status, conclave_error** error) noexcept {
  const auto code = static_cast<conclave_code>(status.code());
  if (error == nullptr) return code;
  *error = nullptr;
  if (status.ok()) return code;
  try {
    const std::string message = RepairUtf8(std::string(status.message()));
    *error = new conclave_error{code, message, DetailOf(code, message, FieldOf(status, message))};
  } catch (...) {
    // No memory for the error: the code has to do.
  }
  return code;
}

absl::Status Require(const void* pointer, const char* name) {
  if (pointer != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, ": is NULL"));
}

absl::Status Within(const char* argument, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(argument, ": ", std::string(status.message())));
}

absl::Status OutOfMemory() noexcept {
  return absl::Status(absl::StatusCode::kResourceExhausted, "the process has no memory left");
}

absl::Status Unexpected(const char* what) noexcept {
  return absl::Status(absl::StatusCode::kInternal, absl::StrCat("unexpected: ", what, ": please report this"));
}

bool InCallback() { return callback_depth > 0; }
CallbackScope::CallbackScope() { ++callback_depth; }
CallbackScope::~CallbackScope() { --callback_depth; }

conclave_buffer* NewBuffer(std::string bytes) { return new conclave_buffer{std::move(bytes)}; }

}  // namespace conclave::capi

conclave_code conclave_error_code(const conclave_error* error) { return error == nullptr ? CONCLAVE_OK : error->code; }
const char* conclave_error_message(const conclave_error* error) { return error == nullptr ? "" : error->message.c_str(); }
const char* conclave_error_detail_json(const conclave_error* error) {
  return error == nullptr ? "{\"code\":\"OK\",\"message\":\"\"}" : error->detail_json.c_str();
}
void conclave_error_destroy(conclave_error* error) { delete error; }

const char* conclave_buffer_data(const conclave_buffer* buffer) { return buffer == nullptr ? "" : buffer->bytes.c_str(); }
size_t conclave_buffer_size(const conclave_buffer* buffer) { return buffer == nullptr ? 0 : buffer->bytes.size(); }
void conclave_buffer_destroy(conclave_buffer* buffer) { delete buffer; }
