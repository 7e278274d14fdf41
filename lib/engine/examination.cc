#include "lib/engine/examination.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/release.h"
#include "lib/base/text.h"
#include "lib/runtime/python_runtime.h"
#include "lib/sandbox/guest_call.h"
#include "lib/sandbox/layers.h"

namespace conclave {

namespace {

constexpr char kUsualFolder[] = "/tmp";
// Less than this and not even the store of one question fits.
constexpr uint64_t kLeastRoom = 1 << 20;

std::string LevelName(int level) { return level < 0 ? "none" : absl::StrCat("L", level); }

// Where a probe went well and yet did not reach the level.
std::string MissingOf(int level, const SandboxCapabilities& capabilities, const IsolationFacts& facts) {
  for (int below = 0; below <= level; ++below) {
    for (const Layer& layer : LayersOfLevel(below)) {
      const bool held = std::any_of(capabilities.layers.begin(), capabilities.layers.end(), [&](const v1::LayerState& state) {
        return state.achieved() && state.name() == layer.name;
      });
      if (layer.required && !held) {
        return absl::StrCat("layer ", std::string(layer.name), ": ", CauseAndFix(layer.name, 0, facts));
      }
    }
  }
  return "a layer of it is missing";
}

Finding ExamineLevel(int level, const absl::StatusOr<SandboxCapabilities>& capabilities, const IsolationFacts& facts) {
  const std::string part = absl::StrCat("sandbox ", LevelName(level));
  const std::string denied(DeniedByLevel(level));
  if (capabilities.ok() && capabilities->isolation_level >= level) return {part, true, absl::StrCat("denies ", denied)};
  const std::string why =
      capabilities.ok() ? MissingOf(level, *capabilities, facts) : std::string(capabilities.status().message());
  return {part, false, absl::StrCat(why, ". It would deny ", denied)};
}

Finding ExamineWhole(const Isolation& asked, const absl::StatusOr<SandboxCapabilities>& capabilities) {
  if (!capabilities.ok()) return {"sandbox", false, std::string(capabilities.status().message())};
  const int level = capabilities->isolation_level;
  std::string message = absl::StrCat("isolation level ", LevelName(level), " (required ", LevelName(asked.required),
                                     ", preferred ", LevelName(asked.preferred));
  if (level < asked.preferred) absl::StrAppend(&message, "; what is missing: see L", level + 1);
  absl::StrAppend(&message, "), supervisor: ", capabilities->supervisor);
  return {"sandbox", level >= 0, std::move(message)};
}

}  // namespace

ProbeIsolation ProbeWith(const ProcessSandboxOptions& options) {
  return [options](const Isolation& isolation) -> absl::StatusOr<SandboxCapabilities> {
    ProcessSandboxOptions at = options;
    at.isolation = isolation;
    absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox(at);
    if (!sandbox.ok()) return sandbox.status();
    return (*sandbox)->Probe();
  };
}

std::vector<Finding> ExamineSandbox(const Isolation& asked, const ProbeIsolation& probe, const IsolationFacts& facts) {
  absl::StatusOr<SandboxCapabilities> capabilities = probe(asked);
  std::vector<Finding> findings = {ExamineWhole(asked, capabilities)};
  const bool refused = !capabilities.ok();
  for (int level = 0; level <= kStrongestLevel; ++level) {
    absl::StatusOr<SandboxCapabilities> here = probe({level, level});
    findings.push_back(ExamineLevel(level, here, facts));
    // Where what was asked cannot be had, the layers that can be are those of the strongest level that can.
    if (here.ok() && refused) capabilities = *std::move(here);
  }
  for (const std::string& weakness : Weaknesses(facts)) findings.push_back({"sandbox weakness", false, weakness});
  if (!capabilities.ok()) return findings;
  for (const v1::LayerState& layer : capabilities->layers) {
    findings.push_back({absl::StrCat("sandbox ", layer.name()), layer.achieved(), layer.detail()});
  }
  return findings;
}

std::string ChosenTemporaryFolder() {
  const char* named = ::secure_getenv("TMPDIR");
  const std::string folder = named == nullptr || *named == '\0' ? kUsualFolder : named;
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::absolute(folder, failed);
  return failed ? folder : path.string();
}

Finding ExamineTemporaryFolder(const std::string& folder) {
  constexpr char kPart[] = "temporary folder";
  const bool usual = folder == kUsualFolder;
  const std::string named = absl::StrCat(Excerpt(folder, 300), usual ? "" : " (named by TMPDIR)");
  const auto unusable = [&](const std::string& why) -> Finding {
    return {kPart, false,
            absl::StrCat(named, ": ", why, "; ", usual ? "" : "correct TMPDIR, unset it, or ",
                         "let TMPDIR name a folder that can be written to")};
  };
  struct stat status = {};
  if (::stat(folder.c_str(), &status) != 0) return unusable(std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) return unusable("is not a folder");
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) return unusable(std::strerror(errno));
  struct statvfs room = {};
  if (::statvfs(folder.c_str(), &room) == 0 && room.f_bavail * room.f_frsize < kLeastRoom) return unusable("is full");
  const std::string runs = FolderForRuns(folder);
  std::error_code failed;
  if (std::filesystem::equivalent(runs, folder, failed)) return {kPart, true, named};
  return {kPart, true, absl::StrCat(named, "; runs live in ", runs, ", because their user cannot reach the former")};
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

std::vector<Finding> ExamineMachine(const EngineOptions& options) {
  ProcessSandboxOptions sandbox_options;
  sandbox_options.temporary_folder = FolderForRuns(ChosenTemporaryFolder());
  sandbox_options.isolation = options.isolation;
  std::vector<Finding> findings = ExamineSandbox(options.isolation, ProbeWith(sandbox_options), ReadIsolationFacts());
  findings.push_back(ExamineTemporaryFolder(ChosenTemporaryFolder()));
  findings.push_back(ExamineLibrary());
  absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox(sandbox_options);
  if (!sandbox.ok()) return findings;
  PythonRuntimeOptions python;
  python.interpreter = options.python;
  findings.push_back(ExamineRuntime(*CreatePythonRuntime(**sandbox, python), "python"));
  return findings;
}

}  // namespace conclave
