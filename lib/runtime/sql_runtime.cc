#include "lib/runtime/sql_runtime.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
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
      : sandbox_(sandbox),
        path_(absl::StrCat(guest_folder, "/", kSqlGuest)),
        guest_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) {
    if (guest_.valid()) return;
    missing_ = absl::UnavailableError(
        absl::StrCat("the SQL engine cannot be used: ", path_, ": ", std::strerror(errno),
                     ". It is installed with Conclave; set CONCLAVE_LIBEXEC to the folder that holds ", kSqlGuest));
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
    GuestCommand command;
    command.arguments = {kSqlGuest};
    command.executable = guest_.get();
    command.environment = {"LANG=C.UTF-8", "TZ=UTC"};
    absl::StatusOr<SandboxResult> result =
        RunGuest(sandbox_, command, ProgramRequest(program, datasets, options), datasets, options, cancellation);
    if (!result.ok()) return result.status();
    return ToExecution(program, options, *result);
  }

  const Sandbox& sandbox_;
  const std::string path_;
  const Descriptor guest_;
  absl::Status missing_;
  mutable std::mutex mutex_;
  mutable std::string engine_;
};

}  // namespace

std::unique_ptr<Runtime> CreateSqlRuntime(const Sandbox& sandbox, const std::string& guest_folder) {
  return std::make_unique<SqlRuntime>(sandbox, guest_folder);
}

}  // namespace conclave
