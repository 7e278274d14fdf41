#include "lib/sandbox/process_sandbox.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "lib/base/text.h"
#include "lib/sandbox/artifacts.h"
#include "lib/sandbox/outcome.h"
#include "lib/sandbox/policy.h"
#include "lib/sandbox/private_folder.h"
#include "lib/sandbox/program.h"
#include "lib/sandbox/spawn.h"
#include "lib/sandbox/supervise.h"
#include "lib/sandbox/supervisor_image.h"

namespace conclave {
namespace {

// How long a run's end may wait for the removal of its folder.
constexpr absl::Duration kRemovalPatience = absl::Milliseconds(200);

void KeepArtifacts(const SandboxRequest& request, const PrivateFolder& folder, SandboxResult* result) {
  if (request.artifacts == 0 || !result->usage.has_wall_us()) return;
  CollectedArtifacts collected = CollectArtifacts(folder.descriptor(), {.count = request.artifacts});
  result->artifacts = std::move(collected.kept);
  if (collected.refused.empty()) return;
  absl::StrAppend(&result->detail, "; not kept: ", absl::StrJoin(collected.refused, ", "));
}

class ProcessSandbox : public Sandbox {
 public:
  ProcessSandbox(SupervisorImage image, std::string temporary_folder)
      : image_(std::move(image)), temporary_folder_(std::move(temporary_folder)) {}

  absl::StatusOr<SandboxResult> Run(const SandboxRequest& request, const Cancellation& cancellation) const override {
    if (absl::Status status = CheckRequest(request); !status.ok()) return status;
    if (cancellation.cancelled()) return NeverStarted(v1::CANCELLED, "cancelled before the program started");
    if (absl::Now() >= request.deadline)
      return NeverStarted(v1::DEADLINE, "the deadline had passed before the program started");
    if (std::optional<std::string> problem = ProgramProblem(request)) return NeverStarted(v1::LAUNCH_FAILED, *problem);

    std::call_once(swept_, PrivateFolder::SweepAbandoned, temporary_folder_);
    absl::StatusOr<PrivateFolder> folder = PrivateFolder::Create(temporary_folder_);
    if (!folder.ok()) return folder.status();
    absl::StatusOr<SpawnedRun> run = Spawn(image_, request, *folder);
    if (!run.ok()) return run.status();
    Observation seen = Supervise(*run, request, cancellation);
    Reap(*run);
    if (!seen.last.has_value()) EndProgram(*run);
    if (seen.other_version) return OtherVersion();
    absl::StatusOr<SandboxResult> result =
        Conclude(request, std::move(seen), run->begun_ns, run->mapped_bytes, cancellation.cancelled());
    if (!result.ok()) return result.status();
    KeepArtifacts(request, *folder, &*result);
    if (absl::Status status = RemoveSoon(*folder); !status.ok()) {
      absl::StrAppend(&result->detail, "; the private folder stays: ", std::string(status.message()));
    }
    return result;
  }

  // Runs a program that does nothing: the supervisor's own image.
  absl::StatusOr<SandboxCapabilities> Probe() const override {
    SandboxRequest request;
    request.executable = image_.descriptor();
    request.arguments = {"conclave-supervisor", "--nothing"};
    request.limits.wall = absl::Seconds(10);
    absl::StatusOr<SandboxResult> result = Run(request, Cancellation());
    if (!result.ok()) return result.status();
    if (result->end_reason != v1::OK) {
      return absl::UnavailableError(absl::StrCat("a run of the empty program failed: ", result->detail));
    }
    return SandboxCapabilities{result->isolation_level, std::move(result->layers), image_.origin()};
  }

 private:
  // What takes longer than anyone should wait for goes on in the background, beyond the end of this process if need be.
  absl::Status RemoveSoon(PrivateFolder& folder) const {
    absl::Status removed = folder.Remove(kRemovalPatience);
    if (!absl::IsDeadlineExceeded(removed)) return removed;
    removed = SpawnRemover(image_, folder);
    folder.Disown();
    return removed;
  }

  absl::Status OtherVersion() const {
    return absl::FailedPreconditionError(absl::StrCat("the supervisor (", image_.origin(),
                                                      ") is of another version than the library: install both from one "
                                                      "release, or remove its file, since the library holds one itself"));
  }

  const SupervisorImage image_;
  const std::string temporary_folder_;
  mutable std::once_flag swept_;  // with the first run, because a sandbox that has none should be cheap to make
};

using RealPath = std::unique_ptr<char, void (*)(void*)>;

RealPath Resolved(const std::string& path) { return RealPath(::realpath(path.c_str(), nullptr), std::free); }

// Whether every user may pass through `folder` and all that it lies in.
bool IsOpenToAll(std::string folder) {
  while (!folder.empty()) {
    struct stat status = {};
    if (::stat(folder.c_str(), &status) != 0 || (status.st_mode & S_IXOTH) == 0) return false;
    folder.resize(folder.rfind('/'));
  }
  return true;
}

}  // namespace

std::string FolderForRuns(const std::string& named) {
  const RealPath resolved = Resolved(named);
  struct stat status = {};
  const bool usable = resolved != nullptr && ::stat(resolved.get(), &status) == 0 && S_ISDIR(status.st_mode) &&
                      ::faccessat(AT_FDCWD, resolved.get(), W_OK | X_OK, AT_EACCESS) == 0 &&
                      (::geteuid() != 0 || IsOpenToAll(resolved.get()));
  return usable ? resolved.get() : "/tmp";
}

absl::StatusOr<std::unique_ptr<Sandbox>> CreateProcessSandbox(const ProcessSandboxOptions& options) {
  const std::string named = options.temporary_folder.empty() ? "/tmp" : options.temporary_folder;
  // Resolved once, so that a host that changes its working folder does not move its runs.
  const RealPath resolved = Resolved(named);
  if (resolved == nullptr) return ErrnoStatus(errno, absl::StrCat("temporary_folder: ", Excerpt(named, 300)));
  struct stat status = {};
  if (::stat(resolved.get(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat("temporary_folder: ", Excerpt(named, 300), " is not a folder"));
  }
  absl::StatusOr<SupervisorImage> image = SupervisorImage::Open(options.supervisor_path);
  if (!image.ok()) return image.status();
  return std::make_unique<ProcessSandbox>(*std::move(image), resolved.get());
}

}  // namespace conclave
