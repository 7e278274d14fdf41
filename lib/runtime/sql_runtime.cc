#include "lib/runtime/sql_runtime.h"

#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/descriptor.h"
#include "lib/runtime/guest_run.h"

namespace conclave {
namespace {

constexpr char kSqlGuest[] = "conclave-sql";

class SqlRuntime : public Runtime {
 public:
  SqlRuntime(const Sandbox& sandbox, const std::string& guest_folder)
      : sandbox_(sandbox), path_(absl::StrCat(guest_folder, "/", kSqlGuest)), guest_(OpenGuest(guest_folder, kSqlGuest)) {
    if (guest_.ok()) return;
    missing_ =
        absl::Status(absl::IsResourceExhausted(guest_.status()) ? guest_.status().code() : absl::StatusCode::kUnavailable,
                     absl::StrCat("the SQL engine cannot be used: ", std::string(guest_.status().message())));
  }

  v1::Language language() const override { return v1::SQL; }

  absl::StatusOr<std::string> Engine() const override {
    if (!missing_.ok()) return missing_;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!engine_.empty()) return engine_;
    v1::Program probe;
    probe.set_language(v1::SQL);
    probe.set_code("SELECT 1");
    absl::StatusOr<v1::Execution> execution = RunProgram(probe, {}, RunOptions(), Cancellation());
    if (!execution.ok()) return execution.status();
    if (execution->engine().empty()) {
      return absl::UnavailableError(absl::StrCat("the SQL engine cannot be used: ", path_, ": ", execution->detail()));
    }
    engine_ = execution->engine();
    return engine_;
  }

  absl::StatusOr<v1::Execution> Run(const v1::Program& program, const std::vector<DatasetPtr>& datasets,
                                    const RunOptions& options, const Cancellation& cancellation) const override {
    if (!missing_.ok()) return missing_;
    if (absl::Status checked = CheckRun(program, v1::SQL, datasets, options); !checked.ok()) return checked;
    return RunProgram(program, datasets, options, cancellation);
  }

 private:
  absl::StatusOr<v1::Execution> RunProgram(const v1::Program& program, const std::vector<DatasetPtr>& datasets,
                                           const RunOptions& options, const Cancellation& cancellation) const {
    GuestCall call;
    call.arguments = {kSqlGuest};
    call.executable = guest_->get();
    call.request = ProgramRequest(program, datasets, options);
    absl::StatusOr<SandboxResult> result = RunGuest(sandbox_, std::move(call), datasets, options, cancellation);
    if (!result.ok()) return result.status();
    const GuestFrames frames = ReadFrames(result->result);
    if (absl::Status checked = CheckRelease(frames, path_); !checked.ok()) return checked;
    return ToExecution(program, options, *result, frames);
  }

  const Sandbox& sandbox_;
  const std::string path_;
  const absl::StatusOr<Descriptor> guest_;
  absl::Status missing_;
  mutable std::mutex mutex_;
  mutable std::string engine_;
};

}  // namespace

std::unique_ptr<Runtime> CreateSqlRuntime(const Sandbox& sandbox, const std::string& guest_folder) {
  return std::make_unique<SqlRuntime>(sandbox, guest_folder);
}

}  // namespace conclave
