#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "capi/boundary.h"
#include "capi/core.h"
#include "capi/host_model.h"
#include "lib/base/text.h"

namespace conclave::capi {
namespace {

absl::Status CheckName(const char* field, std::string_view name) {
  const bool good = !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](unsigned char byte) {
    return absl::ascii_isalnum(byte) || std::string_view("-_.:/").find(static_cast<char>(byte)) != std::string_view::npos;
  });
  if (good) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, ": \"", Excerpt(name, 64), "\" is not 1 to 64 letters, digits, '-', '_', '.', ':' or '/'"));
}

absl::Status AddModel(conclave_engine* engine, const char* name, const char* family, Callback<conclave_model_fn> callback) {
  if (absl::Status status = Require(engine, "engine"); !status.ok()) return status;
  const std::shared_ptr<Core> core = engine->core;
  if (absl::Status status = core->CheckProcess(); !status.ok()) return status;
  if (absl::Status status = Require(name, "name"); !status.ok()) return status;
  if (!callback) return absl::InvalidArgumentError("function: is NULL");
  if (absl::Status status = CheckName("name", name); !status.ok()) return status;
  const std::string lineage = family == nullptr ? name : family;
  if (absl::Status status = CheckName("family", lineage); !status.ok()) return status;
  return core->engine->AddModel(std::make_shared<HostModel>(name, lineage, std::move(callback)));
}

}  // namespace
}  // namespace conclave::capi

conclave_code conclave_engine_add_model(conclave_engine* engine, const char* name, const char* family,
                                        conclave_model_fn function, void* user_data, void (*finalizer)(void*),
                                        conclave_error** error) {
  return conclave::capi::Guard(error, [&] {
    return conclave::capi::AddModel(engine, name, family, {function, user_data, finalizer});
  });
}

conclave_code conclave_model_reply(uint64_t token, const void* json, size_t size, conclave_error** error) {
  using conclave::capi::HostReplies;
  return conclave::capi::Guard(error, [&]() -> absl::Status {
    absl::StatusOr<absl::StatusOr<conclave::ModelReply>> reply = absl::InvalidArgumentError("json: is NULL");
    if (json != nullptr) reply = conclave::capi::ReadModelReply(std::string_view(static_cast<const char*>(json), size));
    if (reply.ok()) return HostReplies::OfProcess().Deliver(token, *std::move(reply));
    // Else a host that does not look at the code would leave the question waiting until its deadline.
    const absl::Status refused = HostReplies::OfProcess().Deliver(
        token, absl::UnavailableError(absl::StrCat("the host's reply was refused: ", std::string(reply.status().message()))));
    return refused.ok() ? reply.status() : refused;
  });
}

int32_t conclave_model_wanted(uint64_t token) { return conclave::capi::HostReplies::OfProcess().IsOpen(token) ? 1 : 0; }
