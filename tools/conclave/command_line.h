// Command line: the arguments of `conclave` as a value. Reads no file and no environment.
//
// Thread safety: pure function.
// Ownership: value type.
#ifndef CONCLAVE_TOOLS_CONCLAVE_COMMAND_LINE_H_
#define CONCLAVE_TOOLS_CONCLAVE_COMMAND_LINE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conclave/sandbox.h"
#include "conclave/v1/execution.pb.h"
#include "conclave/v1/job.pb.h"

namespace conclave::cli {

enum class Command { kHelp, kVersion, kAsk, kProfile, kRun, kShow, kDoctor };

struct CommandLine {
  Command command = Command::kHelp;
  std::string help;                                  // with kHelp: the page to print
  std::vector<std::string> words;                    // what is not an option: files and the question, or the id
  v1::Language language = v1::LANGUAGE_UNSPECIFIED;  // of `run`; unspecified: by the name of the code file
  std::string code;                                  // of `run`: a file, or "-"
  v1::JobContext context;  // scope, as_of, time_zone, seed, deadline and limits of runs as far as they were given
  std::string store;       // folder, empty when not given
  bool no_store = false;
  std::string guest_folder;
  std::string python;
  Isolation isolation;  // the default when not given
  bool json = false;
  bool quiet = false;
};

// Parses what follows the program's name. InvalidArgument says which word or option is wrong, why, and what to write instead.
absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments);

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_COMMAND_LINE_H_
