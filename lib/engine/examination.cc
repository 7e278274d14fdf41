#include "lib/engine/examination.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/release.h"
#include "lib/sandbox/guest_call.h"

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

Finding ExamineLibrary() {
  const absl::StatusOr<std::string> file = LoadedFrom();
  if (!file.ok()) return {"library", false, std::string(file.status().message())};
  return {"library", true, absl::StrCat(*file, ", release ", kRelease)};
}

Finding ExamineGuests(const Sandbox& sandbox, const GuestFolder& guests) {
  constexpr char kPart[] = "guest programs";
  for (const char* name : {"conclave-ingest", "conclave-recount", "conclave-sql"}) {
    absl::StatusOr<std::string> engine = ProbeGuest(sandbox, guests.path, name);
    if (!engine.ok()) {
      return {kPart, false, absl::StrCat(std::string(engine.status().message()), " (folder from ", guests.origin, ")")};
    }
  }
  return {kPart, true, absl::StrCat(guests.path, " (", guests.origin, "), release ", kRelease)};
}

Finding ExaminePanel(const std::vector<PersonaPtr>& panel) {
  std::vector<std::string> names;
  names.reserve(panel.size());
  for (const PersonaPtr& persona : panel) names.emplace_back(persona->name());
  return {"panel", !names.empty(), names.empty() ? "nobody to ask" : absl::StrJoin(names, ", ")};
}

Finding ExamineRuntime(const Runtime& runtime, const std::string& part) {
  absl::StatusOr<std::string> engine = runtime.Engine();
  if (!engine.ok()) return {part, false, std::string(engine.status().message())};
  return {part, true, *engine};
}

}  // namespace conclave
