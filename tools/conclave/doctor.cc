#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/release.h"
#include "tools/conclave/commands.h"
#include "tools/conclave/session.h"
#include "tools/conclave/store_folder.h"
#include "tools/conclave/view/findings.h"

namespace conclave::cli {
namespace {

std::vector<Finding> Examine(const CommandLine& line, const Surroundings& surroundings) {
  absl::StatusOr<std::string> store = ChooseStore(line, surroundings, StoreNeed::kOptional);
  EngineOptions options;
  if (store.ok()) options.store_folder = *store;
  options.guest_folder = line.guest_folder;
  options.python = line.python;
  options.isolation = line.isolation;
  absl::StatusOr<std::unique_ptr<Engine>> engine = surroundings.create_engine(options);
  if (!engine.ok()) {
    std::vector<Finding> findings = surroundings.examine_machine(options);
    findings.insert(findings.begin(), {"engine", false, std::string(engine.status().message())});
    return findings;
  }
  std::vector<Finding> findings = (*engine)->Examine();
  if (!store.ok()) {
    std::erase_if(findings, [](const Finding& finding) { return finding.part == "store"; });
    findings.push_back({"store", false, std::string(store.status().message())});
  }
  return findings;
}

// A layer of the sandbox that is missing is weighed in the finding of the whole sandbox: not every layer is required.
bool StandsInTheWay(const Finding& finding) { return !finding.good && !finding.part.starts_with("sandbox "); }

ExitCode Judge(const std::vector<Finding>& findings) {
  if (std::none_of(findings.begin(), findings.end(), StandsInTheWay)) return kAnswered;
  const bool isolated =
      std::none_of(findings.begin(), findings.end(), [](const Finding& f) { return f.part == "sandbox" && !f.good; });
  return isolated ? kFailed : kIsolationMissing;
}

absl::StatusOr<Json> FindingsAsJson(const std::vector<Finding>& findings) {
  Json list = Json::Array();
  for (const Finding& finding : findings) {
    list.Append(Json::Object({{"part", Json::String(finding.part)},
                              {"good", Json::Boolean(finding.good)},
                              {"message", Json::String(finding.message)}}));
  }
  return Json::Object({{"good", Json::Boolean(Judge(findings) == kAnswered)},
                       {"version", Json::String(kRelease)},
                       {"findings", std::move(list)}});
}

}  // namespace

ExitCode Doctor(const CommandLine& line, const Surroundings& surroundings) {
  if (!line.words.empty()) return FailUsage(surroundings, "doctor takes no arguments besides options");
  const std::vector<Finding> findings = Examine(line, surroundings);
  const ExitCode code = Judge(findings);
  if (line.json) return PrintJson(surroundings, FindingsAsJson(findings), code);
  return Print(surroundings, RenderFindings(findings, surroundings.result_view), code);
}

}  // namespace conclave::cli
