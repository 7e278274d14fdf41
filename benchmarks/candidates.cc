#include "benchmarks/candidates.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/sandbox/process_sandbox.h"

namespace conclave {

absl::Status SpawnBare(const std::vector<std::string>& arguments) {
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  char* const environment[] = {nullptr};
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, words[0], nullptr, nullptr, words.data(), environment);
  if (error != 0) return absl::UnavailableError(absl::StrCat("posix_spawn ", arguments[0], ": ", std::strerror(error)));
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return absl::UnavailableError(absl::StrCat("waitpid: ", std::strerror(errno)));
  }
  if (status != 0) return absl::UnavailableError(absl::StrCat(arguments[0], " ended with wait status ", status));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Sandbox>> SandboxOfLevel(int level) {
  ProcessSandboxOptions options;
  options.isolation = {.required = level, .preferred = level};
  return CreateProcessSandbox(options);
}

absl::StatusOr<SandboxResult> RunAtLevel(const Sandbox& sandbox, const SandboxRequest& request, int level) {
  absl::StatusOr<SandboxResult> result = sandbox.Run(request, Cancellation());
  if (!result.ok()) return result;
  if (result->end_reason != v1::OK) {
    return absl::UnavailableError(absl::StrCat(v1::EndReason_Name(result->end_reason), ": ", result->detail, "; ",
                                               result->standard_error.tail().substr(0, 300)));
  }
  if (result->isolation_level != level) {
    return absl::UnavailableError(absl::StrCat("the run had level ", result->isolation_level, " instead of ", level));
  }
  return result;
}

Ballast::Ballast(size_t bytes) : bytes_(bytes) {
  memory_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory_ == MAP_FAILED) {
    std::fprintf(stderr, "no %zu bytes of memory to be a large host with: %s\n", bytes, std::strerror(errno));
    std::exit(1);
  }
}

Ballast::~Ballast() { ::munmap(memory_, bytes_); }

}  // namespace conclave
