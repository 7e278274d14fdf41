// Stage: runs the command with a fake engine, an environment of its own and standard input from a string.
#ifndef CONCLAVE_TESTS_COMMAND_STAGE_H_
#define CONCLAVE_TESTS_COMMAND_STAGE_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/descriptor.h"
#include "tests/support/fake_engine.h"
#include "tests/support/temporary_folder.h"
#include "tools/conclave/commands.h"
#include "tools/conclave/surroundings.h"

namespace conclave::cli {

struct Stage {
  Stage() { environment["HOME"] = folder.path(); }

  ExitCode Run(const std::vector<std::string>& arguments) {
    out.clear();
    err.clear();
    const Descriptor input = std::move(SealedMemory("input", standard_input)).value();
    Surroundings surroundings;
    surroundings.write_result = [this](std::string_view text) {
      alive_while_printing = script.alive;
      out += text;
      return write_status;
    };
    surroundings.write_error = [this](std::string_view text) { err += text; };
    surroundings.standard_input = input.get();
    surroundings.result_view = view;
    surroundings.error_view = error_view;
    surroundings.error_width = [this] { return error_view.width; };
    surroundings.environment = [this](const char* name) -> std::optional<std::string> {
      const auto found = environment.find(name);
      return found == environment.end() ? std::nullopt : std::optional<std::string>(found->second);
    };
    surroundings.create_engine = [this](const EngineOptions& options) -> absl::StatusOr<std::unique_ptr<Engine>> {
      script.options.push_back(options);
      if (!script.created.ok()) return script.created;
      return std::make_unique<FakeEngine>(script);
    };
    surroundings.examine_machine = [this](const EngineOptions& options) {
      script.options.push_back(options);
      return script.findings;
    };
    surroundings.cancellation = cancellation.token();
    return RunConclave(arguments, surroundings);
  }

  TemporaryFolder folder;
  FakeEngineScript script;
  std::map<std::string, std::string> environment;
  std::string standard_input;
  View view;
  View error_view;
  CancellationSource cancellation;
  absl::Status write_status;

  std::string out;
  std::string err;
  int alive_while_printing = 0;
};

}  // namespace conclave::cli

#endif  // CONCLAVE_TESTS_COMMAND_STAGE_H_
