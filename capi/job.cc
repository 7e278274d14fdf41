#include "capi/job.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"
#include "lib/base/proto_json.h"

namespace conclave::capi {

absl::StatusOr<std::shared_ptr<JobWork>> JobWork::Make(std::shared_ptr<Core> core, Request request) {
  const std::shared_ptr<JobWork> work(new JobWork(std::move(core), std::move(request)));
  work->ended_event_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!work->ended_event_.valid()) return ErrnoStatus(errno, "opening a descriptor for the job");
  return work;
}

absl::Status JobWork::OnEvent(Callback<conclave_event_fn> callback) {
  const std::lock_guard lock(mutex_);
  if (submitted_) return absl::FailedPreconditionError("the job was submitted before: register for its events first");
  if (callback_) return absl::AlreadyExistsError("the job has an event callback: it takes one");
  callback_ = std::move(callback);
  return absl::OkStatus();
}

absl::Status JobWork::Begin() {
  const std::lock_guard lock(mutex_);
  if (submitted_) return absl::FailedPreconditionError("the job was submitted before: create another for another run");
  submitted_ = true;
  return absl::OkStatus();
}

void JobWork::TakeBack() {
  const std::lock_guard lock(mutex_);
  submitted_ = false;
}

absl::Status JobWork::Wait(int64_t timeout_ms) const {
  if (InCallback()) return absl::FailedPreconditionError("called in a callback, where waiting could wait for itself");
  std::unique_lock lock(mutex_);
  if (!submitted_) return absl::FailedPreconditionError("the job was not submitted: there is nothing to wait for");
  const auto ended = [this] { return ended_; };
  if (timeout_ms < 0) {
    changed_.wait(lock, ended);
    return absl::OkStatus();
  }
  // A year is as good as for ever, and cannot overflow the clock.
  constexpr int64_t kYear = 366LL * 24 * 3600 * 1000;
  if (changed_.wait_for(lock, std::chrono::milliseconds(std::min(timeout_ms, kYear)), ended)) return absl::OkStatus();
  return absl::DeadlineExceededError(absl::StrCat("the job has not ended after ", timeout_ms, " ms; it goes on"));
}

absl::StatusOr<JobWork::Product> JobWork::Outcome() const {
  const std::lock_guard lock(mutex_);
  return product_;
}

void JobWork::Run() {
  absl::StatusOr<Product> product = absl::InternalError("the job did not start");
  // The edge of a thread is an edge as well: an exception here would end the host.
  conclave_error* error = nullptr;
  const conclave_code code = Guard(&error, [&] {
    product = Carry(callback_ ? EventSink([this](const v1::Event& event) { Notify(event); }) : EventSink());
    return absl::OkStatus();
  });
  if (code != CONCLAVE_OK) product = absl::Status(static_cast<absl::StatusCode>(code), conclave_error_message(error));
  conclave_error_destroy(error);
  // Let go of before the end is told: what the callback holds may be what keeps the job's handle alive.
  callback_ = Callback<conclave_event_fn>();
  {
    const std::lock_guard lock(mutex_);
    product_ = std::move(product);
    ended_ = true;
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t ignored = ::write(ended_event_.get(), &one, sizeof one);  // cannot fail: the counter is 0
  }
  changed_.notify_all();
}

absl::StatusOr<JobWork::Product> JobWork::Carry(const EventSink& sink) const {
  const Engine& engine = *core_->engine;
  const Cancellation token = cancellation_.token();
  if (const auto* question = std::get_if<v1::AnalysisJob>(&request_)) {
    absl::StatusOr<v1::Insight> insight = engine.Analyze(*question, token, sink);
    if (!insight.ok()) return insight.status();
    return Product(*std::move(insight));
  }
  if (const auto* program = std::get_if<v1::ExecutionJob>(&request_)) {
    absl::StatusOr<v1::Execution> execution = engine.Execute(*program, token, sink);
    if (!execution.ok()) return execution.status();
    return Product(*std::move(execution));
  }
  absl::StatusOr<std::vector<v1::Profile>> profiles = engine.Profile(std::get<v1::ProfileJob>(request_), token, sink);
  if (!profiles.ok()) return profiles.status();
  v1::ProfileList list;
  for (v1::Profile& profile : *profiles) *list.add_profiles() = std::move(profile);
  return Product(std::move(list));
}

void JobWork::Notify(const v1::Event& event) const {
  absl::StatusOr<std::string> json = MessageToJson(event);
  // An event is made by the library alone; one that has no JSON form is a defect, and no reason to lose the job.
  if (!json.ok()) json = R"({"phase":"done","state":"failed","message":"an event could not be written as JSON"})";
  if (silent_.load()) return;
  if (callback_(json->c_str(), json->size()) != 0) cancellation_.Cancel();
}

}  // namespace conclave::capi

using conclave::capi::Core;
using conclave::capi::Guard;
using conclave::capi::GuardNew;
using conclave::capi::JobWork;
using conclave::capi::Require;

conclave_job::~conclave_job() {
  work->Silence();
  work->Cancel();
  if (worker.has_value() && conclave::capi::InCallback()) worker->Detach();
}

absl::Status conclave_job::Submit() {
  if (absl::Status status = work->Begin(); !status.ok()) return status;
  absl::StatusOr<conclave::Worker> started = conclave::Worker::Start("conclave-job", [shared = work] { shared->Run(); });
  if (!started.ok()) {
    work->TakeBack();
    return started.status();
  }
  worker.emplace(*std::move(started));
  return absl::OkStatus();
}

namespace {

constexpr size_t kLargestJob = 4u << 20;
constexpr int kMostFields = 10'000;

// Whether `bytes` have no more fields than a job can need. Two bytes may stand for a message of a hundred, so that what is
// small to send could be large to hold.
bool HasFewFields(std::string_view bytes) {
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  for (int fields = 0; fields < kMostFields; ++fields) {
    const uint32_t tag = stream.ReadTag();
    if (tag == 0 || !google::protobuf::internal::WireFormatLite::SkipField(&stream, tag)) return true;
  }
  return false;
}

absl::Status ReadInto(int32_t format, std::string_view bytes, google::protobuf::MessageLite* message) {
  if (format == CONCLAVE_JSON) {
    const absl::StatusOr<conclave::Json> json = conclave::ParseJson(bytes);
    return json.ok() ? conclave::JsonToMessage(*json, message) : conclave::capi::Within("data", json.status());
  }
  if (format != CONCLAVE_PROTO) {
    return absl::InvalidArgumentError(absl::StrCat("format: ", format, " is neither CONCLAVE_PROTO nor CONCLAVE_JSON"));
  }
  if (!HasFewFields(bytes)) {
    return absl::InvalidArgumentError(absl::StrCat("data: more than ", kMostFields, " fields, which no job can need"));
  }
  if (message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("data: these ", bytes.size(), " bytes are no ", message->GetTypeName()));
}

template <typename Message>
absl::StatusOr<JobWork::Request> Read(int32_t format, std::string_view bytes, const Core& core) {
  Message message;
  if (absl::Status status = ReadInto(format, bytes, &message); !status.ok()) return status;
  if (message.context().scope().empty()) message.mutable_context()->set_scope(core.scope);
  return JobWork::Request(std::move(message));
}

absl::StatusOr<JobWork::Request> ReadRequest(int32_t kind, int32_t format, std::string_view bytes, const Core& core) {
  if (bytes.size() > kLargestJob) {
    return absl::ResourceExhaustedError(absl::StrCat("data: ", bytes.size(), " bytes exceed the 4 MiB a job may have"));
  }
  switch (kind) {
    case CONCLAVE_ANALYSIS: return Read<conclave::v1::AnalysisJob>(format, bytes, core);
    case CONCLAVE_EXECUTION: return Read<conclave::v1::ExecutionJob>(format, bytes, core);
    case CONCLAVE_PROFILE: return Read<conclave::v1::ProfileJob>(format, bytes, core);
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("kind: ", kind, " is none of CONCLAVE_ANALYSIS, CONCLAVE_EXECUTION and CONCLAVE_PROFILE"));
  }
}

absl::Status CheckJob(const conclave_job* job) {
  if (absl::Status status = Require(job, "job"); !status.ok()) return status;
  return job->work->core().CheckProcess();
}

}  // namespace

conclave_code conclave_job_create(conclave_engine* engine, int32_t kind, int32_t format, const void* data, size_t size,
                                  conclave_job** out, conclave_error** error) {
  return GuardNew(out, error, [&]() -> absl::StatusOr<conclave_job*> {
    if (absl::Status status = Require(engine, "engine"); !status.ok()) return status;
    const std::shared_ptr<Core> core = engine->core;
    if (absl::Status status = core->CheckProcess(); !status.ok()) return status;
    if (size > 0) {
      if (absl::Status status = Require(data, "data"); !status.ok()) return status;
    }
    absl::StatusOr<JobWork::Request> request =
        ReadRequest(kind, format, std::string_view(static_cast<const char*>(data), size), *core);
    if (!request.ok()) return request.status();
    absl::StatusOr<std::shared_ptr<JobWork>> work = JobWork::Make(core, *std::move(request));
    if (!work.ok()) return work.status();
    return new conclave_job(*std::move(work));
  });
}

conclave_code conclave_job_on_event(conclave_job* job, conclave_event_fn function, void* user_data, void (*finalizer)(void*),
                                    conclave_error** error) {
  return Guard(error, [&] {
    conclave::capi::Callback<conclave_event_fn> callback(function, user_data, finalizer);
    if (absl::Status status = CheckJob(job); !status.ok()) return status;
    if (function == nullptr) return absl::InvalidArgumentError("function: is NULL");
    return job->work->OnEvent(std::move(callback));
  });
}

conclave_code conclave_job_submit(conclave_job* job, conclave_error** error) {
  return Guard(error, [&] {
    if (absl::Status status = CheckJob(job); !status.ok()) return status;
    return job->Submit();
  });
}

conclave_code conclave_job_wait(const conclave_job* job, int64_t timeout_ms, conclave_error** error) {
  return Guard(error, [&] {
    if (absl::Status status = CheckJob(job); !status.ok()) return status;
    return job->work->Wait(timeout_ms);
  });
}

int conclave_job_descriptor(const conclave_job* job) { return job == nullptr ? -1 : job->work->descriptor(); }

void conclave_job_cancel(const conclave_job* job) {
  // A child of fork() shares the parent's descriptors: what it wrote there would wake the parent for nothing.
  if (job != nullptr && !job->work->core().InOtherProcess()) job->work->Cancel();
}

conclave_code conclave_job_result(const conclave_job* job, conclave_result** out, conclave_error** error) {
  return GuardNew(out, error, [&]() -> absl::StatusOr<conclave_result*> {
    if (absl::Status status = CheckJob(job); !status.ok()) return status;
    absl::StatusOr<JobWork::Product> product = job->work->Outcome();
    if (!product.ok()) return product.status();
    return std::visit([](auto& message) { return conclave::capi::NewResult(std::move(message)); }, *product);
  });
}

void conclave_job_destroy(conclave_job* job) {
  // In a child of fork() the job's thread does not exist: there is nothing to wait for, and what it held is the parent's.
  if (job != nullptr && !job->work->core().InOtherProcess()) delete job;
}
