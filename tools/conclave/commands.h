// Commands: one function for each word that may follow `conclave`, and the one that chooses between them.
//
// Thread safety: each call runs in the calling thread; calls do not share anything.
// Ownership: borrows its arguments for the length of the call.
#ifndef CONCLAVE_TOOLS_CONCLAVE_COMMANDS_H_
#define CONCLAVE_TOOLS_CONCLAVE_COMMANDS_H_

#include <string>
#include <vector>

#include "tools/conclave/command_line.h"
#include "tools/conclave/exit_code.h"
#include "tools/conclave/surroundings.h"

namespace conclave::cli {

// Everything the command does, from its arguments (without the program's name) to its exit code.
ExitCode RunConclave(const std::vector<std::string>& arguments, const Surroundings& surroundings);

ExitCode Ask(const CommandLine& line, const Surroundings& surroundings);
ExitCode ProfileFiles(const CommandLine& line, const Surroundings& surroundings);
ExitCode RunProgram(const CommandLine& line, const Surroundings& surroundings);
ExitCode Show(const CommandLine& line, const Surroundings& surroundings);
ExitCode Doctor(const CommandLine& line, const Surroundings& surroundings);

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_COMMANDS_H_
