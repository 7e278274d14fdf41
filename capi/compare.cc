#include "lib/answer/compare.h"

#include <string>
#include <string_view>

#include "capi/boundary.h"
#include "conclave/v1/answer.pb.h"
#include "lib/base/json.h"
#include "lib/base/proto_json.h"

namespace conclave::capi {
namespace {

template <typename Message>
absl::StatusOr<Message> Read(const char* name, const void* data, size_t size) {
  Message message;
  if (absl::Status status = Require(data, name); !status.ok()) return status;
  absl::Status status = JsonToMessage(std::string_view(static_cast<const char*>(data), size), &message);
  if (!status.ok()) return Within(name, status);
  return message;
}

std::string ComparisonJson(const Comparison& comparison) {
  Json json = Json::Object();
  json.Set("agree", Json::Boolean(comparison.agree));
  json.Set("reason", Json::String(comparison.reason));
  json.Set("difference", Json::String(comparison.difference));
  return json.Text();
}

}  // namespace
}  // namespace conclave::capi

conclave_code conclave_compare(const void* a, size_t a_size, const void* b, size_t b_size, const void* expectation,
                               size_t expectation_size, conclave_buffer** out, conclave_error** error) {
  using conclave::capi::Read;
  return conclave::capi::GuardNew(out, error, [&]() -> absl::StatusOr<conclave_buffer*> {
    auto left = Read<conclave::v1::Answer>("a", a, a_size);
    if (!left.ok()) return left.status();
    auto right = Read<conclave::v1::Answer>("b", b, b_size);
    if (!right.ok()) return right.status();
    conclave::ComparisonContext context;
    if (expectation != nullptr) {
      auto expected = Read<conclave::v1::Expectation>("expectation", expectation, expectation_size);
      if (!expected.ok()) return expected.status();
      context = conclave::ComparisonContext::From(*expected);
    }
    return conclave::capi::NewBuffer(conclave::capi::ComparisonJson(conclave::Compare(*left, *right, context)));
  });
}
