#include "lib/runtime/python_runtime.h"

#include <cstddef>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/descriptor.h"
#include "lib/base/text.h"
#include "lib/runtime/guest_run.h"

namespace conclave {

// Generated from lib/guest/python.
extern const unsigned char kPythonRunner[];
extern const std::size_t kPythonRunnerSize;
extern const unsigned char kPythonBootstrap[];
extern const std::size_t kPythonBootstrapSize;

namespace {

constexpr int kRunnerDescriptor = 5;
constexpr uint64_t kHashSeeds = uint64_t{1} << 32;  // PYTHONHASHSEED is 32 bits

std::string_view BytesOf(const unsigned char* bytes, std::size_t size) { return {reinterpret_cast<const char*>(bytes), size}; }

class PythonRuntime : public Runtime {
 public:
  PythonRuntime(const Sandbox& sandbox, const PythonRuntimeOptions& options)
      : sandbox_(sandbox),
        candidates_(PythonCandidates(options.interpreter, options.surroundings)),
        passed_on_(options.surroundings.passed_on) {}

  v1::Language language() const override { return v1::PYTHON; }

  absl::StatusOr<std::string> Engine() const override {
    absl::StatusOr<Found> found = Search(Cancellation());
    if (!found.ok()) return found.status();
    return found->engine;
  }

  absl::StatusOr<v1::Execution> Run(const v1::Program& program, const std::vector<DatasetPtr>& datasets,
                                    const RunOptions& options, const Cancellation& cancellation) const override {
    if (absl::Status checked = CheckRun(program, v1::PYTHON, datasets, options); !checked.ok()) return checked;
    const Json request = ProgramRequest(program, datasets, options);
    std::string interpreter = Known().interpreter;
    if (interpreter.empty() && !candidates_.empty()) {
      // The first candidate is nearly always the one: running the program right away saves a run that only looks for pandas.
      absl::StatusOr<v1::Execution> execution = RunWith(candidates_[0], program, request, datasets, options, cancellation);
      if (!execution.ok()) return execution;
      if (!Problem(*execution).has_value()) {
        if (!execution->engine().empty()) Remember({candidates_[0], execution->engine(), absl::OkStatus()});
        return execution;
      }
      // Was it the interpreter, or the limits of this run?
      absl::StatusOr<Found> found = Search(cancellation);
      if (!found.ok()) return found.status();
      if (found->interpreter == candidates_[0]) return execution;
      interpreter = found->interpreter;
    } else if (interpreter.empty()) {
      return NoInterpreter({});
    }
    return RunWith(interpreter, program, request, datasets, options, cancellation);
  }

 private:
  struct Found {
    std::string interpreter;
    std::string engine;
    absl::Status none;  // why no candidate will do
  };

  Found Known() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return found_;
  }

  void Remember(Found found) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    found_ = std::move(found);
  }

  // The interpreter to use, looked for by running each candidate without a program until one has pandas. What was found, also
  // that there is none, is remembered; what went wrong with the sandbox, or was cancelled, is not.
  absl::StatusOr<Found> Search(const Cancellation& cancellation) const {
    const std::lock_guard<std::mutex> search(search_mutex_);
    Found found = Known();
    if (!found.none.ok()) return found.none;
    if (!found.interpreter.empty()) return found;
    Json request = ProgramRequest(v1::Program(), {}, RunOptions());
    request.Set("probe", Json::Boolean(true));
    std::vector<std::string> reasons;
    for (const std::string& candidate : candidates_) {
      absl::StatusOr<v1::Execution> probe = RunWith(candidate, v1::Program(), request, {}, RunOptions(), cancellation);
      if (!probe.ok()) return probe.status();
      if (probe->end_reason() == v1::CANCELLED) return absl::CancelledError("cancelled while looking for a Python interpreter");
      if (!probe->engine().empty()) {
        Remember({candidate, probe->engine(), absl::OkStatus()});
        return Known();
      }
      reasons.push_back(absl::StrCat(Excerpt(candidate, 200), ": ", Problem(*probe).value_or(probe->detail())));
    }
    Remember({"", "", NoInterpreter(reasons)});
    return Known().none;
  }

  absl::StatusOr<v1::Execution> RunWith(const std::string& interpreter, const v1::Program& program, const Json& request,
                                        const std::vector<DatasetPtr>& datasets, const RunOptions& options,
                                        const Cancellation& cancellation) const {
    if (interpreter.empty() || interpreter[0] != '/') {
      v1::Execution refused;
      refused.set_end_reason(v1::LAUNCH_FAILED);
      refused.set_detail("not an absolute path");
      return refused;
    }
    // A file of its own for every run, because the descriptors of runs side by side would share one position.
    absl::StatusOr<Descriptor> runner = SealedMemory("conclave-python-runner", BytesOf(kPythonRunner, kPythonRunnerSize));
    if (!runner.ok()) return runner.status();
    GuestCall call;
    call.arguments = {interpreter, "-s", "-B", "-c", std::string(BytesOf(kPythonBootstrap, kPythonBootstrapSize))};
    call.descriptors = {{runner->get(), kRunnerDescriptor}};
    call.readable = ReadableFor(interpreter);
    for (const char* variable : {"OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1", "NUMEXPR_NUM_THREADS=1",
                                 "NUMEXPR_MAX_THREADS=1"}) {
      call.environment.push_back(variable);
    }
    call.environment.push_back(absl::StrCat("PYTHONHASHSEED=", options.seed % kHashSeeds));
    call.environment.insert(call.environment.end(), passed_on_.begin(), passed_on_.end());
    call.request = request;
    absl::StatusOr<SandboxResult> result = RunGuest(sandbox_, std::move(call), datasets, options, cancellation);
    if (!result.ok()) return result.status();
    return ToExecution(program, options, *result, ReadFrames(result->result));
  }

  // Why a run shows that its interpreter is none, or has no pandas; nothing when it may have ended for another reason. The
  // runner names the engine before it looks at the program, so no program can pretend here.
  static std::optional<std::string> Problem(const v1::Execution& execution) {
    if (!execution.engine().empty()) return std::nullopt;
    switch (execution.end_reason()) {
      case v1::OK:
      case v1::EXIT_NONZERO:
      case v1::NO_RESULT:
      case v1::SIGNAL:
      case v1::LAUNCH_FAILED: break;
      default: return std::nullopt;
    }
    if (execution.answer().kind() == v1::ERROR) return execution.answer().error().message();
    // The last line of a traceback says it best.
    std::string said = execution.stderr().head() + execution.stderr().tail();
    while (!said.empty() && said.back() == '\n') said.pop_back();
    said = said.substr(said.rfind('\n') + 1);
    return said.empty() ? execution.detail() : absl::StrCat(execution.detail(), " (", Excerpt(said, 200), ")");
  }

  static absl::Status NoInterpreter(const std::vector<std::string>& reasons) {
    const std::string tried = reasons.empty() ? "none was found on PATH or at /usr/bin/python3" : absl::StrJoin(reasons, "; ");
    return absl::UnavailableError(absl::StrCat("no Python interpreter that can import pandas in the sandbox: ", tried,
                                               ". Install one (apt install python3-pandas), or set CONCLAVE_PYTHON to an "
                                               "interpreter that every user may run"));
  }

  const Sandbox& sandbox_;
  const std::vector<std::string> candidates_;
  const std::vector<std::string> passed_on_;
  mutable std::mutex search_mutex_;  // one search at a time
  mutable std::mutex mutex_;         // guards found_
  mutable Found found_;
};

}  // namespace

std::unique_ptr<Runtime> CreatePythonRuntime(const Sandbox& sandbox, const PythonRuntimeOptions& options) {
  return std::make_unique<PythonRuntime>(sandbox, options);
}

}  // namespace conclave
