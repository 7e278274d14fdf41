#include "tools/conclave/view/profile.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/proto_json.h"
#include "tools/conclave/commands.h"
#include "tools/conclave/progress.h"
#include "tools/conclave/session.h"

namespace conclave::cli {
namespace {

absl::StatusOr<std::vector<v1::Profile>> Describe(const v1::ProfileJob& job, const CommandLine& line,
                                                  const Surroundings& surroundings) {
  absl::StatusOr<std::unique_ptr<Engine>> engine = CreateEngine(line, surroundings, StoreNeed::kOptional);
  if (!engine.ok()) return engine.status();
  Progress progress(surroundings, line.quiet);
  return (*engine)->Profile(job, surroundings.cancellation, progress.Sink());
}

absl::StatusOr<Json> ProfilesAsJson(const std::vector<v1::Profile>& profiles) {
  Json list = Json::Array();
  for (const v1::Profile& profile : profiles) {
    absl::StatusOr<Json> one = MessageToJsonValue(profile);
    if (!one.ok()) return one.status();
    list.Append(*std::move(one));
  }
  return Json::Object({{"profiles", std::move(list)}});
}

}  // namespace

ExitCode ProfileFiles(const CommandLine& line, const Surroundings& surroundings) {
  if (line.words.empty()) return FailUsage(surroundings, "no file was given: write conclave profile FILE");
  const absl::StatusOr<Input> input = OpenInput(line.words, surroundings);
  if (!input.ok()) return Fail(surroundings, input.status());
  v1::ProfileJob job;
  job.mutable_datasets()->Assign(input->sources().begin(), input->sources().end());
  *job.mutable_context() = line.context;
  const absl::StatusOr<std::vector<v1::Profile>> profiles = Describe(job, line, surroundings);
  if (!profiles.ok()) return Fail(surroundings, profiles.status());
  if (line.json) return PrintJson(surroundings, ProfilesAsJson(*profiles), kAnswered);
  std::string text;
  for (const v1::Profile& profile : *profiles) {
    text += (text.empty() ? "" : "\n") + RenderProfile(profile, surroundings.result_view);
  }
  return Print(surroundings, text, kAnswered);
}

}  // namespace conclave::cli
