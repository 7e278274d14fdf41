#include "lib/engine/examination.h"

#include "absl/strings/str_cat.h"

namespace conclave {

std::vector<Finding> ExamineSandbox(const Sandbox& sandbox) {
  absl::StatusOr<SandboxCapabilities> capabilities = sandbox.Probe();
  if (!capabilities.ok()) return {{"sandbox", false, std::string(capabilities.status().message())}};
  std::vector<Finding> findings;
  findings.push_back({"sandbox", capabilities->isolation_level >= 0,
                      absl::StrCat("isolation level ", capabilities->isolation_level >= 0 ? "L" : "",
                                   capabilities->isolation_level >= 0 ? absl::StrCat(capabilities->isolation_level) : "none",
                                   ", supervisor: ", capabilities->supervisor)});
  for (const v1::LayerState& layer : capabilities->layers) {
    findings.push_back({absl::StrCat("sandbox ", layer.name()), layer.achieved(), layer.detail()});
  }
  return findings;
}

Finding ExamineRuntime(const Runtime& runtime, const std::string& part) {
  absl::StatusOr<std::string> engine = runtime.Engine();
  if (!engine.ok()) return {part, false, std::string(engine.status().message())};
  return {part, true, *engine};
}

}  // namespace conclave
