// Host model: a language model that the host application speaks for. A request goes out through its callback with a token; the
// reply comes back with the token, from any thread, at any time.
//
// Thread safety: every function may be called from any thread at any time.
#ifndef CONCLAVE_CAPI_HOST_MODEL_H_
#define CONCLAVE_CAPI_HOST_MODEL_H_

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capi/boundary.h"
#include "conclave/model.h"
#include "lib/base/descriptor.h"

namespace conclave::capi {

// The requests that wait for their replies. One for the whole process, since a reply may come when the engine is gone: it must
// then meet a list that says so, and not freed memory.
class HostReplies {
 public:
  // Never destroyed, because threads of the host may reply while the process ends. A child of fork() has another one, since a
  // thread that the child has not may have held the lock of this; its tokens go on where those of the parent were.
  static HostReplies& OfProcess();

  // One request: `event` becomes readable when the reply is there.
  struct Waiting {
    uint64_t token = 0;
    Descriptor event;
    std::mutex mutex;
    std::optional<absl::StatusOr<ModelReply>> reply;
  };

  absl::StatusOr<std::shared_ptr<Waiting>> Open();
  void Close(const Waiting& waiting);
  bool IsOpen(uint64_t token);

  // Gives a reply to the request it is for. NotFound for a token that was never given; a reply to a request that has ended
  // meanwhile, or has its reply, is dropped.
  absl::Status Deliver(uint64_t token, absl::StatusOr<ModelReply> reply);

 private:
  explicit HostReplies(HostReplies* inherited)
      : inherited_(inherited), last_token_(inherited == nullptr ? 0 : inherited->last_token_.load()) {}

  // That of the parent, which cannot be freed: its lock may be held for ever.
  [[maybe_unused]] const HostReplies* const inherited_;
  const pid_t process_ = ::getpid();
  std::mutex mutex_;
  std::atomic<uint64_t> last_token_;
  std::map<uint64_t, std::shared_ptr<Waiting>> waiting_;
};

class HostModel : public Model {
 public:
  HostModel(std::string name, std::string family, Callback<conclave_model_fn> callback)
      : name_(std::move(name)), family_(std::move(family)), callback_(std::move(callback)) {}

  std::string name() const override { return name_; }
  std::string lineage() const override { return family_; }
  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, const Cancellation& cancellation) const override;

 private:
  const std::string name_;
  const std::string family_;
  const Callback<conclave_model_fn> callback_;
};

// The request as the callback gets it.
std::string ModelRequestJson(uint64_t token, const ModelRequest& request, absl::Time now);

// The reply as conclave_model_reply takes it. The outer status: what is wrong with the JSON; the inner one: the error it tells
// of.
absl::StatusOr<absl::StatusOr<ModelReply>> ReadModelReply(std::string_view json);

}  // namespace conclave::capi

#endif  // CONCLAVE_CAPI_HOST_MODEL_H_
