// Runs one program over and over, as scripts ask for it, so that their candidates can take turns and the start of this process
// does not count. Reads words from standard input, one a line: "bare", or a level of isolation. Answers each with a line: the
// microseconds it took from call to return, or "-" and the reason why there is no such run here.
//
//   sandbox_runs [--ballast-mb N] PROGRAM [ARGUMENT...]
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/candidates.h"

namespace {

using Clock = std::chrono::steady_clock;

class Runs {
 public:
  explicit Runs(std::vector<std::string> arguments) { request_.arguments = std::move(arguments); }

  absl::Status Take(std::string_view candidate) {
    if (candidate == "bare") return conclave::SpawnBare(request_.arguments);
    if (candidate.size() != 1 || candidate[0] < '0' || candidate[0] >= '0' + conclave::kLevels) {
      return absl::InvalidArgumentError("neither \"bare\" nor a level");
    }
    const int level = candidate[0] - '0';
    std::unique_ptr<conclave::Sandbox>& sandbox = sandboxes_[static_cast<size_t>(level)];
    if (sandbox == nullptr) {
      absl::StatusOr<std::unique_ptr<conclave::Sandbox>> made = conclave::SandboxOfLevel(level);
      if (!made.ok()) return made.status();
      sandbox = *std::move(made);
      // The first run of a sandbox also sweeps what others left behind.
      if (absl::Status first = conclave::RunAtLevel(*sandbox, request_, level).status(); !first.ok()) return first;
      begun_ = Clock::now();
    }
    return conclave::RunAtLevel(*sandbox, request_, level).status();
  }

  void Answer(std::string_view candidate) {
    begun_ = Clock::now();
    const absl::Status status = Take(candidate);
    const double took = std::chrono::duration<double, std::micro>(Clock::now() - begun_).count();
    if (status.ok()) {
      std::printf("%.1f\n", took);
    } else {
      std::printf("- %s\n", std::string(status.message()).c_str());
    }
    std::fflush(stdout);
  }

 private:
  conclave::SandboxRequest request_;
  std::array<std::unique_ptr<conclave::Sandbox>, conclave::kLevels> sandboxes_;
  Clock::time_point begun_;
};

}  // namespace

int main(int count, char** words) {
  std::vector<std::string> arguments(words + 1, words + count);
  std::optional<conclave::Ballast> ballast;
  if (arguments.size() > 2 && arguments[0] == "--ballast-mb") {
    ballast.emplace(std::strtoull(arguments[1].c_str(), nullptr, 10) << 20);
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  if (arguments.empty()) {
    std::fprintf(stderr, "usage: sandbox_runs [--ballast-mb N] PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  Runs runs(arguments);
  for (std::string line; std::getline(std::cin, line);) runs.Answer(line);
}
