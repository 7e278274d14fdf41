#include "tools/conclave/commands.h"

#include "absl/strings/str_cat.h"
#include "tools/conclave/session.h"

namespace conclave::cli {

ExitCode RunConclave(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  const absl::StatusOr<CommandLine> line = ParseCommandLine(arguments);
  if (!line.ok()) return FailUsage(surroundings, std::string(line.status().message()));
  switch (line->command) {
    case Command::kHelp: return Print(surroundings, line->help, kAnswered);
    case Command::kVersion: return Print(surroundings, absl::StrCat("conclave ", CONCLAVE_VERSION, "\n"), kAnswered);
    case Command::kAsk: return Ask(*line, surroundings);
    case Command::kProfile: return ProfileFiles(*line, surroundings);
    case Command::kRun: return RunProgram(*line, surroundings);
    case Command::kShow: return Show(*line, surroundings);
    case Command::kDoctor: return Doctor(*line, surroundings);
  }
  return kFailed;
}

}  // namespace conclave::cli
