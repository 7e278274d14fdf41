#include "lib/sandbox/process_sandbox.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "lib/base/text.h"
#include "lib/sandbox/artifacts.h"
#include "lib/sandbox/layers.h"
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
  ProcessSandbox(SupervisorImage image, std::string temporary_folder, const Isolation& isolation)
      : image_(std::move(image)),
        temporary_folder_(std::move(temporary_folder)),
        isolation_(isolation),
        system_paths_(SystemPaths()) {}

  absl::StatusOr<SandboxResult> Run(const SandboxRequest& request, const Cancellation& cancellation) const override {
    if (absl::Status status = CheckRequest(request); !status.ok()) return status;
    if (cancellation.cancelled()) return NeverStarted(v1::CANCELLED, "cancelled before the program started");
    if (absl::Now() >= request.deadline)
      return NeverStarted(v1::DEADLINE, "the deadline had passed before the program started");
    if (std::optional<std::string> problem = ProgramProblem(request)) return NeverStarted(v1::LAUNCH_FAILED, *problem);

    std::call_once(swept_, PrivateFolder::SweepAbandoned, temporary_folder_);
    absl::StatusOr<PrivateFolder> folder = PrivateFolder::Create(temporary_folder_);
    if (!folder.ok()) return folder.status();
    absl::StatusOr<SpawnedRun> run = Spawn({image_, *folder, isolation_, system_paths_}, request);
    if (!run.ok()) return run.status();
    Observation seen = Supervise(*run, request, cancellation);
    const bool supervisor_lost = !seen.last.has_value();
    if (supervisor_lost) {
      Reap(*run);
      EndProgram(*run);
    }
    absl::StatusOr<SandboxResult> result = Finish(request, std::move(seen), *run, *folder, cancellation.cancelled());
    if (!supervisor_lost) Reap(*run);
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
  // With the whole tree dead. The supervisor that said so may still be on its way out: its end and the work here overlap.
  absl::StatusOr<SandboxResult> Finish(const SandboxRequest& request, Observation seen, const SpawnedRun& run,
                                       PrivateFolder& folder, bool cancelled) const {
    if (seen.other_version) return OtherVersion();
    absl::StatusOr<SandboxResult> result = Conclude(request, std::move(seen), run.begun_ns, run.mapped_bytes, cancelled);
    if (!result.ok()) return result.status();
    if (result->usage.has_wall_us() && result->isolation_level < isolation_.required) {
      // The supervisor starts no program without its layers, so its report of one was lost. What is not proven does not count.
      result->end_reason = v1::STATUS_LOST;
      result->detail = absl::StrCat("level ", isolation_.required, " is required and only level ", result->isolation_level,
                                    " was reported as held: a report of the supervisor was lost (", result->detail, ")");
    }
    KeepArtifacts(request, folder, &*result);
    if (absl::Status status = RemoveSoon(folder); !status.ok()) {
      absl::StrAppend(&result->detail, "; the private folder stays: ", std::string(status.message()));
    }
    return result;
  }

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
  const Isolation isolation_;
  const ReadablePaths system_paths_;
  mutable std::once_flag swept_;  // with the first run, because a sandbox that has none should be cheap to make
};

using RealPath = std::unique_ptr<char, void (*)(void*)>;

RealPath Resolved(const std::string& path) { return RealPath(::realpath(path.c_str(), nullptr), std::free); }

// Where the last part of `path` leads when it is a symbolic link: whoever can change that moves the runs of later hosts.
std::optional<std::string> LinkTarget(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  char target[PATH_MAX];
  const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
  if (length < 0) return std::nullopt;
  return std::string(target, static_cast<size_t>(length));
}

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
  if (absl::Status status = CheckIsolation(options.isolation); !status.ok()) return status;
  const std::string named = options.temporary_folder.empty() ? "/tmp" : options.temporary_folder;
  if (const auto target = LinkTarget(options.temporary_folder); target.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("temporary_folder: ", Excerpt(named, 300), " is a symbolic link to ",
                                                   Excerpt(*target, 300), "; give the folder itself"));
  }
  // Resolved once, so that a host that changes its working folder does not move its runs.
  const RealPath resolved = Resolved(named);
  if (resolved == nullptr) return ErrnoStatus(errno, absl::StrCat("temporary_folder: ", Excerpt(named, 300)));
  struct stat status = {};
  if (::stat(resolved.get(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat("temporary_folder: ", Excerpt(named, 300), " is not a folder"));
  }
  absl::StatusOr<SupervisorImage> image = SupervisorImage::Open(options.supervisor_path);
  if (!image.ok()) return image.status();
  return std::make_unique<ProcessSandbox>(*std::move(image), resolved.get(), options.isolation);
}

}  // namespace conclave
