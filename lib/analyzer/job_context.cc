#include "lib/analyzer/job_context.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "lib/base/text.h"

namespace conclave {
namespace {

constexpr size_t kQuestionBytes = 4000;
constexpr size_t kCodeBytes = 1 << 20;
constexpr int kDatasets = 16;

constexpr LimitRange kTimeMsRange = {1, kLongestRunMs};

absl::Status TakeLimit(std::string_view field, const LimitRange& range, int64_t given, int64_t* limit) {
  if (given == 0) return absl::OkStatus();
  if (given < range.least || given > range.most) {
    return absl::InvalidArgumentError(absl::StrCat("context.run_limits.", std::string(field), ": ", given, " is not from ",
                                                   range.least, " to ", range.most, ": leave it out for the default of ",
                                                   *limit));
  }
  *limit = given;
  return absl::OkStatus();
}

absl::Status TakeLimit(std::string_view field, const LimitRange& range, int32_t given, int32_t* limit) {
  int64_t wide = *limit;
  absl::Status status = TakeLimit(field, range, int64_t{given}, &wide);
  *limit = static_cast<int32_t>(wide);
  return status;
}

absl::StatusOr<Limits> ResolveLimits(const v1::Limits& given) {
  Limits limits;
  int64_t wall_ms = absl::ToInt64Milliseconds(limits.wall);
  int64_t cpu_ms = absl::ToInt64Milliseconds(limits.cpu);
  for (const absl::Status& status : {TakeLimit("wall_ms", kTimeMsRange, given.wall_ms(), &wall_ms),
                                     TakeLimit("cpu_ms", kTimeMsRange, given.cpu_ms(), &cpu_ms),
                                     TakeLimit("memory_bytes", kMemoryBytesRange, given.memory_bytes(), &limits.memory_bytes),
                                     TakeLimit("output_bytes", kOutputBytesRange, given.output_bytes(), &limits.output_bytes),
                                     TakeLimit("disk_bytes", kDiskBytesRange, given.disk_bytes(), &limits.disk_bytes),
                                     TakeLimit("disk_inodes", kDiskInodesRange, given.disk_inodes(), &limits.disk_inodes),
                                     TakeLimit("processes", kProcessesRange, given.processes(), &limits.processes),
                                     TakeLimit("threads", kThreadsRange, given.threads(), &limits.threads),
                                     TakeLimit("descriptors", kDescriptorsRange, given.descriptors(), &limits.descriptors)}) {
    if (!status.ok()) return status;
  }
  if (limits.threads < limits.processes) {
    return absl::InvalidArgumentError(absl::StrCat("context.run_limits.threads: ", limits.threads, " are fewer than the ",
                                                   limits.processes, " processes: every process has at least one"));
  }
  limits.wall = absl::Milliseconds(wall_ms);
  limits.cpu = absl::Milliseconds(cpu_ms);
  return limits;
}

// A job is written down and sent on as text, so text is what its fields must be.
absl::Status CheckText(const std::string& field, std::string_view text) {
  if (IsValidUtf8(text)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(field, ": not valid UTF-8: \"", Excerpt(text, 80), "\""));
}

bool HasWordCharacter(std::string_view text) {
  for (char c : text) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80) return true;
  }
  return false;
}

absl::Status CheckDatasets(const google::protobuf::RepeatedPtrField<v1::DatasetSource>& datasets) {
  if (datasets.empty()) return absl::InvalidArgumentError("datasets: none given: name at least one file");
  if (datasets.size() > kDatasets) {
    return absl::InvalidArgumentError(absl::StrCat("datasets: ", datasets.size(), " given, at most ", kDatasets, " are read"));
  }
  for (int i = 0; i < datasets.size(); ++i) {
    if (datasets[i].path().empty() == !datasets[i].has_descriptor()) {
      return absl::InvalidArgumentError(absl::StrCat("datasets[", i, "]: give exactly one of path and descriptor"));
    }
    if (absl::Status text = CheckText(absl::StrCat("datasets[", i, "].name"), datasets[i].name()); !text.ok()) return text;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ResolvedContext> ResolveContext(const v1::JobContext& context, absl::Time now) {
  for (const auto& [field, text] :
       {std::pair("context.scope", &context.scope()), std::pair("context.as_of", &context.as_of()),
        std::pair("context.time_zone", &context.time_zone()), std::pair("context.locale", &context.locale())}) {
    if (absl::Status status = CheckText(field, *text); !status.ok()) return status;
  }
  ResolvedContext resolved;
  resolved.context = context;
  if (context.scope().empty()) resolved.context.set_scope("default");
  if (context.time_zone().empty()) resolved.context.set_time_zone("UTC");
  if (context.locale().empty()) resolved.context.set_locale("en");
  absl::TimeZone zone;
  if (!absl::LoadTimeZone(resolved.context.time_zone(), &zone)) {
    return absl::InvalidArgumentError(absl::StrCat("context.time_zone: unknown zone \"", Excerpt(context.time_zone(), 60),
                                                   "\": give an IANA name such as Europe/Vienna"));
  }
  if (context.as_of().empty()) {
    resolved.context.set_as_of(absl::FormatCivilTime(absl::ToCivilDay(now, zone)));
  } else if (absl::CivilDay day; !absl::ParseCivilTime(context.as_of(), &day)) {
    return absl::InvalidArgumentError(
        absl::StrCat("context.as_of: \"", Excerpt(context.as_of(), 60), "\" is no date: give YYYY-MM-DD"));
  }
  if (context.deadline_ms() < 0) {
    return absl::InvalidArgumentError(absl::StrCat("context.deadline_ms: ", context.deadline_ms(), " is negative"));
  }
  if (context.deadline_ms() == 0) resolved.context.set_deadline_ms(300'000);
  resolved.deadline = now + absl::Milliseconds(resolved.context.deadline_ms());
  absl::StatusOr<Limits> limits = ResolveLimits(context.run_limits());
  if (!limits.ok()) return limits.status();
  resolved.run_limits = *limits;
  return resolved;
}

absl::Status CheckAnalysisJob(const v1::AnalysisJob& job) {
  if (absl::Status text = CheckText("question", job.question()); !text.ok()) return text;
  for (int i = 0; i < job.personas_size(); ++i) {
    if (absl::Status text = CheckText(absl::StrCat("personas[", i, "]"), job.personas(i)); !text.ok()) return text;
  }
  if (!HasWordCharacter(job.question())) {
    return absl::InvalidArgumentError("question: it is empty: ask something, for example \"How many rows are there?\"");
  }
  if (job.question().size() > kQuestionBytes) {
    return absl::InvalidArgumentError(absl::StrCat("question: ", job.question().size(), " bytes, at most ", kQuestionBytes,
                                                   " are read: ask something shorter"));
  }
  return CheckDatasets(job.datasets());
}

absl::Status CheckExecutionJob(const v1::ExecutionJob& job) {
  if (job.language() != v1::SQL && job.language() != v1::PYTHON) {
    return absl::InvalidArgumentError("language: give sql or python");
  }
  if (job.code().empty()) return absl::InvalidArgumentError("code: it is empty");
  if (job.code().size() > kCodeBytes) {
    return absl::InvalidArgumentError(absl::StrCat("code: ", job.code().size(), " bytes, at most ", kCodeBytes, " are run"));
  }
  if (absl::Status text = CheckText("code", job.code()); !text.ok()) return text;
  return CheckDatasets(job.datasets());
}

absl::Status CheckProfileJob(const v1::ProfileJob& job) { return CheckDatasets(job.datasets()); }

}  // namespace conclave
