#include <algorithm>
#include <string>

#include "absl/status/statusor.h"
#include "lib/base/proto_json.h"
#include "tools/conclave/commands.h"
#include "tools/conclave/progress.h"
#include "tools/conclave/session.h"
#include "tools/conclave/view/execution.h"

namespace conclave::cli {
namespace {

v1::Language LanguageOf(const CommandLine& line) {
  if (line.language != v1::LANGUAGE_UNSPECIFIED) return line.language;
  if (line.code.ends_with(".sql")) return v1::SQL;
  return line.code.ends_with(".py") ? v1::PYTHON : v1::LANGUAGE_UNSPECIFIED;
}

absl::StatusOr<v1::Execution> Execute(const v1::ExecutionJob& job, const CommandLine& line, const Surroundings& surroundings) {
  absl::StatusOr<std::unique_ptr<Engine>> engine = CreateEngine(line, surroundings, StoreNeed::kOptional);
  if (!engine.ok()) return engine.status();
  Progress progress(surroundings, line.quiet);
  return (*engine)->Execute(job, surroundings.cancellation, progress.Sink());
}

}  // namespace

ExitCode RunProgram(const CommandLine& line, const Surroundings& surroundings) {
  if (line.code.empty())
    return FailUsage(surroundings, "--code is missing: name a file with the program, or - for standard input");
  if (line.words.empty()) return FailUsage(surroundings, "no file was given: write conclave run --code CODE FILE");
  if (line.code == "-" && std::count(line.words.begin(), line.words.end(), "-") > 0) {
    return FailUsage(surroundings, "-: standard input was named for the program and for data: give one of them as a file");
  }
  v1::ExecutionJob job;
  job.set_language(LanguageOf(line));
  if (job.language() == v1::LANGUAGE_UNSPECIFIED) {
    return FailUsage(surroundings, "--language is missing: give sql or python (or name the code file .sql or .py)");
  }
  absl::StatusOr<std::string> code = ReadCode(line.code, surroundings.standard_input, surroundings.cancellation);
  if (!code.ok()) return Fail(surroundings, code.status());
  job.set_code(*std::move(code));
  const absl::StatusOr<Input> input = OpenInput(line.words, surroundings);
  if (!input.ok()) return Fail(surroundings, input.status());
  job.mutable_datasets()->Assign(input->sources().begin(), input->sources().end());
  *job.mutable_context() = line.context;
  const absl::StatusOr<v1::Execution> execution = Execute(job, line, surroundings);
  if (!execution.ok()) return Fail(surroundings, execution.status());
  const ExitCode exit_code = execution->end_reason() == v1::CANCELLED ? kCancelled : ExitCodeOf(*execution);
  if (line.json) return PrintJson(surroundings, MessageToJsonValue(*execution), exit_code);
  const bool with_evidence = !line.quiet || exit_code != kAnswered;
  return Print(surroundings, RenderExecution(*execution, surroundings.result_view, with_evidence), exit_code);
}

}  // namespace conclave::cli
