#include "lib/analyzer/job_context.h"

#include <cctype>
#include <cstdint>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "lib/base/text.h"

namespace conclave {
namespace {

constexpr size_t kQuestionBytes = 4000;
constexpr size_t kCodeBytes = 1 << 20;
constexpr int kDatasets = 16;

absl::Status TakeLimit(std::string_view field, int64_t given, int64_t* limit) {
  if (given < 0) {
    return absl::InvalidArgumentError(absl::StrCat("context.run_limits.", std::string(field), ": ", given,
                                                   " is negative: give a positive number, or leave it out for the default of ",
                                                   *limit));
  }
  if (given > 0) *limit = given;
  return absl::OkStatus();
}

absl::Status TakeLimit(std::string_view field, int32_t given, int32_t* limit) {
  int64_t wide = *limit;
  absl::Status status = TakeLimit(field, int64_t{given}, &wide);
  *limit = static_cast<int32_t>(wide);
  return status;
}

absl::StatusOr<Limits> ResolveLimits(const v1::Limits& given) {
  Limits limits;
  int64_t wall_ms = absl::ToInt64Milliseconds(limits.wall);
  int64_t cpu_ms = absl::ToInt64Milliseconds(limits.cpu);
  for (const absl::Status& status :
       {TakeLimit("wall_ms", given.wall_ms(), &wall_ms), TakeLimit("cpu_ms", given.cpu_ms(), &cpu_ms),
        TakeLimit("memory_bytes", given.memory_bytes(), &limits.memory_bytes),
        TakeLimit("output_bytes", given.output_bytes(), &limits.output_bytes),
        TakeLimit("disk_bytes", given.disk_bytes(), &limits.disk_bytes),
        TakeLimit("disk_inodes", given.disk_inodes(), &limits.disk_inodes),
        TakeLimit("processes", given.processes(), &limits.processes), TakeLimit("threads", given.threads(), &limits.threads),
        TakeLimit("descriptors", given.descriptors(), &limits.descriptors)}) {
    if (!status.ok()) return status;
  }
  limits.wall = absl::Milliseconds(wall_ms);
  limits.cpu = absl::Milliseconds(cpu_ms);
  return limits;
}

bool HasWordCharacter(std::string_view text) {
  for (char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80) return true;
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
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ResolvedContext> ResolveContext(const v1::JobContext& context, absl::Time now) {
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
  if (!IsValidUtf8(job.question())) {
    return absl::InvalidArgumentError(absl::StrCat("question: not valid UTF-8: \"", Excerpt(job.question(), 80), "\""));
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
  if (!IsValidUtf8(job.code())) return absl::InvalidArgumentError("code: not valid UTF-8");
  return CheckDatasets(job.datasets());
}

absl::Status CheckProfileJob(const v1::ProfileJob& job) { return CheckDatasets(job.datasets()); }

}  // namespace conclave
