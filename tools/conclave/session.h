// Session: what all commands do the same way: make an engine, print a result, say what failed.
//
// Thread safety: belongs to the thread that runs the command.
// Ownership: borrows its arguments for the length of the call.
#ifndef CONCLAVE_TOOLS_CONCLAVE_SESSION_H_
#define CONCLAVE_TOOLS_CONCLAVE_SESSION_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conclave/engine.h"
#include "lib/base/json.h"
#include "tools/conclave/command_line.h"
#include "tools/conclave/exit_code.h"
#include "tools/conclave/input.h"
#include "tools/conclave/surroundings.h"

namespace conclave::cli {

// Whether a command that finds no usable store may go on with a private temporary one.
enum class StoreNeed { kOptional, kRequired };

// The folder to keep things in; empty for a private temporary one. Where an optional default cannot be had, says so.
absl::StatusOr<std::string> ChooseStore(const CommandLine& line, const Surroundings& surroundings, StoreNeed need);

// Prepares the store and makes the engine. A default store that cannot be had is replaced by a temporary one, and standard
// error says so; one that an option names, or that is required, is an error.
// `kept`, where it is not null, tells whether what the engine records outlives it.
absl::StatusOr<std::unique_ptr<Engine>> CreateEngine(const CommandLine& line, const Surroundings& surroundings, StoreNeed need,
                                                     bool* kept = nullptr);

// Opens the files, standard input among them.
absl::StatusOr<Input> OpenInput(const std::vector<std::string>& files, const Surroundings& surroundings);

// "conclave: what: why: way out" on standard error.
ExitCode Fail(const Surroundings& surroundings, const absl::Status& status);
// The same for a command line that makes no sense.
ExitCode FailUsage(const Surroundings& surroundings, std::string_view message);

// Writes a result. Returns `code`, or what the failed write makes of it.
ExitCode Print(const Surroundings& surroundings, std::string_view text, ExitCode code);
ExitCode PrintJson(const Surroundings& surroundings, const absl::StatusOr<Json>& document, ExitCode code);

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_SESSION_H_
