// Surroundings: everything outside the program that a command touches: where it reads and writes, what the environment says,
// how an engine is made, and whether the person wants it to stop. Tests bring their own.
//
// Thread safety: `write_error` may be called from any thread; the rest belongs to the thread that runs the command.
// Ownership: owns its functions; the descriptor of standard input is borrowed.
#ifndef CONCLAVE_TOOLS_CONCLAVE_SURROUNDINGS_H_
#define CONCLAVE_TOOLS_CONCLAVE_SURROUNDINGS_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conclave/cancellation.h"
#include "conclave/engine.h"

namespace conclave::cli {

// How text is to look on one stream.
struct View {
  bool colour = false;
  int width = 0;  // columns of the terminal; 0: not a terminal, nothing is cut to fit
};

using EngineFactory = std::function<absl::StatusOr<std::unique_ptr<Engine>>(const EngineOptions&)>;

struct Surroundings {
  // Results. A failed write is reported by the command, except for a reader that went away (Aborted), which ends it quietly.
  std::function<absl::Status(std::string_view)> write_result;
  // Everything that is not a result; failures are ignored, there is nowhere to tell them.
  std::function<void(std::string_view)> write_error;
  int standard_input = 0;
  View result_view;
  View error_view;
  // Asked at each redraw of the live progress table; 0 when standard error is no terminal.
  std::function<int()> error_width = [] { return 0; };
  std::function<std::optional<std::string>(const char* name)> environment;
  EngineFactory create_engine;
  // What can be told of the machine where no engine can be made.
  std::function<std::vector<Finding>(const EngineOptions&)> examine_machine;
  Cancellation cancellation;
};

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_SURROUNDINGS_H_
