#include "capi/host_model.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/base/json.h"
#include "lib/base/text.h"

namespace conclave::capi {
namespace {

constexpr size_t kLargestReply = 4u << 20;
constexpr int64_t kLongestWaitMs = 24LL * 3600 * 1000;

int64_t MillisecondsUntil(absl::Time deadline, absl::Time now) {
  return std::clamp<int64_t>(absl::ToInt64Milliseconds(deadline - now), 0, kLongestWaitMs);
}

}  // namespace

HostReplies& HostReplies::OfProcess() {
  static std::atomic<HostReplies*> current{nullptr};
  HostReplies* known = current.load();
  while (known == nullptr || known->process_ != ::getpid()) {
    auto fresh = std::unique_ptr<HostReplies>(new HostReplies(known));
    if (current.compare_exchange_strong(known, fresh.get())) return *fresh.release();
  }
  return *known;
}

absl::StatusOr<std::shared_ptr<HostReplies::Waiting>> HostReplies::Open() {
  auto waiting = std::make_shared<Waiting>();
  waiting->event = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!waiting->event.valid()) return ErrnoStatus(errno, "opening a descriptor for a model's reply");
  const std::lock_guard lock(mutex_);
  waiting->token = ++last_token_;
  waiting_[waiting->token] = waiting;
  return waiting;
}

void HostReplies::Close(const Waiting& waiting) {
  const std::lock_guard lock(mutex_);
  waiting_.erase(waiting.token);
}

bool HostReplies::IsOpen(uint64_t token) {
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(token);
  if (found == waiting_.end()) return false;
  const std::lock_guard reply_lock(found->second->mutex);
  return !found->second->reply.has_value();
}

absl::Status HostReplies::Deliver(uint64_t token, absl::StatusOr<ModelReply> reply) {
  std::shared_ptr<Waiting> waiting;
  {
    const std::lock_guard lock(mutex_);
    if (token == 0 || token > last_token_) {
      return absl::NotFoundError(absl::StrCat("token: there never was a request with the token ", token));
    }
    const auto found = waiting_.find(token);
    if (found == waiting_.end()) return absl::OkStatus();
    waiting = found->second;
  }
  const std::lock_guard lock(waiting->mutex);
  if (waiting->reply.has_value()) return absl::OkStatus();
  waiting->reply = std::move(reply);
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t ignored = ::write(waiting->event.get(), &one, sizeof one);  // cannot fail: the counter is 0
  return absl::OkStatus();
}

absl::StatusOr<ModelReply> HostModel::Complete(const ModelRequest& request, const Cancellation& cancellation) const {
  HostReplies& replies = HostReplies::OfProcess();
  absl::StatusOr<std::shared_ptr<HostReplies::Waiting>> opened = replies.Open();
  if (!opened.ok()) return opened.status();
  HostReplies::Waiting& waiting = **opened;
  const auto close = absl::MakeCleanup([&] { replies.Close(waiting); });

  const std::string json = ModelRequestJson(waiting.token, request, absl::Now());
  callback_(waiting.token, json.c_str(), json.size());

  while (true) {
    const int64_t left = MillisecondsUntil(request.deadline, absl::Now());
    struct pollfd events[] = {{waiting.event.get(), POLLIN, 0}, {cancellation.descriptor(), POLLIN, 0}};
    const int ready = ::poll(events, 2, static_cast<int>(left));
    if (ready < 0 && errno != EINTR) return ErrnoStatus(errno, "waiting for a model's reply");
    {
      const std::lock_guard lock(waiting.mutex);
      if (waiting.reply.has_value()) return *std::move(waiting.reply);
    }
    if (cancellation.cancelled()) return absl::CancelledError("the job was cancelled");
    if (absl::Now() >= request.deadline) {
      return absl::DeadlineExceededError(absl::StrCat("the model ", name_, " did not reply in time"));
    }
  }
}

std::string ModelRequestJson(uint64_t token, const ModelRequest& request, absl::Time now) {
  Json json = Json::Object();
  json.Set("token", Json::Number(absl::StrCat(token)));
  if (request.language != v1::LANGUAGE_UNSPECIFIED) {
    json.Set("language", Json::String(request.language == v1::SQL ? "sql" : "python"));
  }
  json.Set("instructions", Json::String(request.instructions));
  json.Set("prompt", Json::String(request.prompt));
  json.Set("temperature", Json::Real(request.temperature));
  json.Set("max_output_tokens", Json::Integer(request.max_output_tokens));
  json.Set("seed", Json::Number(absl::StrCat(request.seed)));
  json.Set("deadline_ms", Json::Integer(MillisecondsUntil(request.deadline, now)));
  return json.Text();
}

absl::StatusOr<absl::StatusOr<ModelReply>> ReadModelReply(std::string_view text) {
  JsonBounds bounds;
  bounds.bytes = kLargestReply;
  bounds.depth = 8;
  bounds.values = 10'000;
  absl::StatusOr<Json> json = ParseJson(text, bounds);
  if (!json.ok()) return json.status();
  if (!json->is_object()) return absl::InvalidArgumentError("a model's reply is one JSON object");
  ModelReply reply;
  std::string failure;
  bool has_text = false;
  bool has_error = false;
  for (const auto& [name, value] : json->members()) {
    if (value.is_null()) continue;
    const bool known = name == "text" || name == "error" || name == "model" ? value.is_string()
                       : name == "truncated"                                ? value.is_boolean()
                       : name == "input_tokens" || name == "output_tokens"  ? value.is_number()
                                                                            : false;
    if (!known) {
      return absl::InvalidArgumentError(
          absl::StrCat("a model's reply has text, or error, and may have model, truncated, input_tokens and output_tokens; \"",
                       Excerpt(name, 60), "\" is none of these, or has the wrong type"));
    }
    if (name == "text") reply.text = value.string(), has_text = true;
    if (name == "error") failure = value.string(), has_error = true;
    if (name == "model") reply.model = value.string();
    if (name == "truncated") reply.truncated = value.boolean();
    if (name == "input_tokens") reply.input_tokens = value.IntegerOr(-1);
    if (name == "output_tokens") reply.output_tokens = value.IntegerOr(-1);
  }
  if (has_text == has_error) return absl::InvalidArgumentError("a model's reply has either text or error, and not both");
  if (has_error)
    return absl::StatusOr<ModelReply>(absl::UnavailableError(failure.empty() ? "the model failed" : Excerpt(failure, 1000)));
  return absl::StatusOr<ModelReply>(std::move(reply));
}

}  // namespace conclave::capi
