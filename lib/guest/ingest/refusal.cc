#include "lib/guest/ingest/refusal.h"

#include <optional>

#include "absl/strings/cord.h"

namespace conclave::guest {
namespace {

constexpr char kTypeUrl[] = "conclave.refusal";

}  // namespace

absl::Status Refuse(std::string_view type, std::string_view message) {
  absl::Status status = absl::InvalidArgumentError(std::string(message));
  status.SetPayload(kTypeUrl, absl::Cord(std::string(type)));
  return status;
}

std::string RefusalType(const absl::Status& status) {
  const auto type = status.GetPayload(kTypeUrl);
  return type.has_value() ? std::string(*type) : "IngestError";
}

}  // namespace conclave::guest
