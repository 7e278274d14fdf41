#include <string>

#include "absl/status/statusor.h"
#include "lib/base/proto_json.h"
#include "tools/conclave/commands.h"
#include "tools/conclave/session.h"
#include "tools/conclave/view/insight.h"

namespace conclave::cli {
namespace {

absl::StatusOr<v1::Insight> Recall(const CommandLine& line, const Surroundings& surroundings) {
  absl::StatusOr<std::unique_ptr<Engine>> engine = CreateEngine(line, surroundings, StoreNeed::kRequired);
  if (!engine.ok()) return engine.status();
  return (*engine)->Recall(line.context.scope(), line.words.front());
}

}  // namespace

ExitCode Show(const CommandLine& line, const Surroundings& surroundings) {
  if (line.words.size() != 1) {
    return FailUsage(surroundings, line.words.empty() ? "no id was given: write conclave show ID; conclave ask prints the id"
                                                      : "more than one id was given: show one at a time");
  }
  const absl::StatusOr<v1::Insight> insight = Recall(line, surroundings);
  if (!insight.ok()) return Fail(surroundings, insight.status());
  if (line.json) return PrintJson(surroundings, MessageToJsonValue(*insight), kAnswered);
  if (line.quiet && ExitCodeOf(insight->outcome()) == kAnswered) {
    return Print(surroundings, RenderAnswerAlone(*insight, surroundings.result_view), kAnswered);
  }
  const std::string programs = RenderPrograms(*insight, surroundings.result_view);
  const std::string page = RenderInsight(*insight, surroundings.result_view);
  return Print(surroundings, programs.empty() ? page : page + "\n" + programs, kAnswered);
}

}  // namespace conclave::cli
