// What is compared when isolation is measured: a bare posix_spawn, and runs of the sandbox at each level.
//
// Thread safety: functions may run concurrently.
// Ownership: values only; sandboxes belong to the caller.
#ifndef CONCLAVE_BENCHMARKS_CANDIDATES_H_
#define CONCLAVE_BENCHMARKS_CANDIDATES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conclave/cancellation.h"
#include "conclave/sandbox.h"

namespace conclave {

// Levels of isolation from 0 up to, but not including, this one.
inline constexpr int kLevels = 4;

// posix_spawn without any attribute, and waitpid: what a host would do that isolates nothing.
absl::Status SpawnBare(const std::vector<std::string>& arguments);

// A sandbox whose runs have this level, neither more nor less.
absl::StatusOr<std::unique_ptr<Sandbox>> SandboxOfLevel(int level);

// Runs to the end. An error unless the program ended with status 0 and had the level.
absl::StatusOr<SandboxResult> RunAtLevel(const Sandbox& sandbox, const SandboxRequest& request, int level);

// Memory of this process that stands for a large host: present in all its pages.
class Ballast {
 public:
  explicit Ballast(size_t bytes);
  ~Ballast();
  Ballast(const Ballast&) = delete;
  Ballast& operator=(const Ballast&) = delete;

 private:
  void* memory_;
  size_t bytes_;
};

}  // namespace conclave

#endif  // CONCLAVE_BENCHMARKS_CANDIDATES_H_
