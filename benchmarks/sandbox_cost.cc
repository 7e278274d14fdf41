// What isolation costs: runs of the sandbox at each level beside a bare posix_spawn, in one process and by turns, so that
// medians and their ratios mean something on a machine that does other things meanwhile.
//
//   sandbox_cost [--benchmark_filter=...]
//
// Unless told otherwise the repetitions of all benchmarks are mixed at random and only their aggregates are shown.
#include <benchmark/benchmark.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmarks/candidates.h"
#include "lib/base/descriptor.h"

namespace conclave {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRepetitions = 15;
constexpr int kSpawns = 10;  // in each repetition
constexpr char kProgram[] = "/bin/true";

// Made once: each holds the supervisor's image, and sweeps with its first run.
struct Sandboxes {
  Sandboxes() {
    for (int level = 0; level < kLevels; ++level) {
      absl::StatusOr<std::unique_ptr<Sandbox>> made = SandboxOfLevel(level);
      problems[level] = made.ok() ? absl::OkStatus() : made.status();
      if (!made.ok()) continue;
      sandboxes[level] = *std::move(made);
      SandboxRequest request;
      request.arguments = {kProgram};
      problems[level] = RunAtLevel(*sandboxes[level], request, level).status();
    }
  }
  std::array<std::unique_ptr<Sandbox>, kLevels> sandboxes;
  std::array<absl::Status, kLevels> problems;
};

const Sandboxes& AllSandboxes() {
  static const Sandboxes* const all = new Sandboxes();
  return *all;
}

// The sandbox of a level; none, and the benchmark is skipped with the reason, where this machine cannot have it.
const Sandbox* SandboxFor(benchmark::State& state, int level) {
  const absl::Status& problem = AllSandboxes().problems[static_cast<size_t>(level)];
  if (problem.ok()) return AllSandboxes().sandboxes[static_cast<size_t>(level)].get();
  state.SkipWithError(absl::StrCat("level ", level, ": ", std::string(problem.message())).c_str());
  return nullptr;
}

void Must(benchmark::State& state, const absl::Status& status) {
  if (!status.ok()) state.SkipWithError(std::string(status.message()).c_str());
}

// The host's memory as the argument says, kept from one benchmark to the next where both want the same.
void BecomeHostOf(int64_t megabytes) {
  static std::optional<Ballast> ballast;
  static int64_t now = 0;
  if (megabytes == now) return;
  ballast.reset();
  if (megabytes > 0) ballast.emplace(static_cast<size_t>(megabytes) << 20);
  now = megabytes;
}

void Bare(benchmark::State& state) {
  for (auto _ : state) Must(state, SpawnBare({kProgram}));
  state.SetItemsProcessed(state.iterations());
}

// Arguments: level, host's memory in megabytes. Counters: microseconds until the program ran, and of each step on the way.
void Run(benchmark::State& state) {
  const int level = static_cast<int>(state.range(0));
  const Sandbox* const sandbox = SandboxFor(state, level);
  if (sandbox == nullptr) return;
  if (state.threads() == 1) BecomeHostOf(state.range(1));
  SandboxRequest request;
  request.arguments = {kProgram};
  std::map<std::string, int64_t> steps;
  int64_t setup = 0;
  for (auto _ : state) {
    absl::StatusOr<SandboxResult> result = RunAtLevel(*sandbox, request, level);
    Must(state, result.status());
    if (!result.ok()) return;
    setup += result->usage.setup_us();
    for (const StepCost& step : result->steps) steps[step.name] += step.microseconds;
  }
  state.SetItemsProcessed(state.iterations());
  if (state.threads() > 1) return;
  const auto each = [&](int64_t sum) { return static_cast<double>(sum) / static_cast<double>(state.iterations()); };
  state.counters["setup_us"] = each(setup);
  for (const auto& [name, sum] : steps) state.counters["step_" + name] = each(sum);
}

struct Pipe {
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
  }
  Descriptor read;
  Descriptor write;
};

bool ByteComes(const Pipe& pipe) {
  pollfd source = {pipe.read.get(), POLLIN, 0};
  char byte;
  return ::poll(&source, 1, 60'000) == 1 && ::read(pipe.read.get(), &byte, 1) == 1;
}

// From the wish to end a run that has touched 64 MB until Run() returns, with nothing of it left.
void KillToGone(benchmark::State& state) {
  const int level = static_cast<int>(state.range(0));
  const Sandbox* const sandbox = SandboxFor(state, level);
  if (sandbox == nullptr) return;
  const Descriptor program(::open(TOUCH_MEMORY, O_RDONLY | O_CLOEXEC));
  for (auto _ : state) {
    Pipe ready;
    SandboxRequest request;
    request.arguments = {"touch_memory"};
    request.executable = program.get();
    request.descriptors = {{.host = ready.write.get(), .guest = 5}};
    CancellationSource cancellation;
    absl::StatusOr<SandboxResult> result = absl::UnknownError("");
    std::thread runner([&] { result = sandbox->Run(request, cancellation.token()); });
    const bool touched = ByteComes(ready);
    const Clock::time_point wish = Clock::now();
    cancellation.Cancel();
    runner.join();
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - wish).count());
    if (!touched || !result.ok() || result->end_reason != v1::CANCELLED) {
      const std::string what = result.ok() ? result->detail : std::string(result.status().message());
      state.SkipWithError(absl::StrCat("the run was not one to cancel: ", what).c_str());
      return;
    }
  }
}

constexpr char kPandas[] =
    "import pandas, sys\n"
    "frame = pandas.DataFrame({'key': [n % 7 for n in range(1000)], 'value': range(1000)})\n"
    "sums = frame.groupby('key').value.sum()\n"
    "assert sums.sum() == 499500\n";

SandboxRequest PandasRequest(const std::string& more) {
  SandboxRequest request;
  request.arguments = {"/usr/bin/python3", "-I", "-c", absl::StrCat(kPandas, more)};
  request.environment = {"LANG=C.UTF-8", "OPENBLAS_NUM_THREADS=1", "PYTHONDONTWRITEBYTECODE=1"};
  return request;
}

// A way to get from nothing to sums of groups over a thousand rows.
void GroupByBare(benchmark::State& state) {
  const SandboxRequest request = PandasRequest("");
  for (auto _ : state) Must(state, SpawnBare(request.arguments));
}

void GroupByCold(benchmark::State& state) {
  const int level = static_cast<int>(state.range(0));
  const Sandbox* const sandbox = SandboxFor(state, level);
  if (sandbox == nullptr) return;
  const SandboxRequest request = PandasRequest("");
  for (auto _ : state) Must(state, RunAtLevel(*sandbox, request, level).status());
}

int64_t ProportionalKilobytes(const std::string& pid) {
  std::ifstream lines("/proc/" + pid + "/smaps_rollup");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Pss:")) return std::strtoll(line.c_str() + 4, nullptr, 10);
  }
  return 0;
}

struct TreeMemory {
  int64_t programs_kb = 0;
  int64_t supervisors_kb = 0;  // with the inits of runs that have one
};

// Of all that descends from this process: what runs Python is a program, what does not a supervisor.
TreeMemory MemoryOfDescendants() {
  std::map<std::string, std::string> parents;
  std::map<std::string, std::string> names;
  DIR* const processes = ::opendir("/proc");
  if (processes == nullptr) return {};
  for (const dirent* entry = ::readdir(processes); entry != nullptr; entry = ::readdir(processes)) {
    const std::string pid = entry->d_name;
    std::ifstream file("/proc/" + pid + "/stat");
    std::string line;
    if (pid.find_first_not_of("0123456789") != std::string::npos || !std::getline(file, line)) continue;
    const size_t end = line.rfind(')');
    names[pid] = line.substr(line.find('(') + 1, end - line.find('(') - 1);
    parents[pid] = line.substr(end + 4, line.find(' ', end + 4) - end - 4);
  }
  ::closedir(processes);
  TreeMemory memory;
  const std::string self = absl::StrCat(::getpid());
  for (const auto& [pid, name] : names) {
    std::string ancestor = parents[pid];
    while (!ancestor.empty() && ancestor != self && ancestor != "0") ancestor = parents[ancestor];
    if (ancestor != self) continue;
    (name.starts_with("python") ? memory.programs_kb : memory.supervisors_kb) += ProportionalKilobytes(pid);
  }
  return memory;
}

// Memory for each of so many runs at once that all have pandas in use, shared pages shared out among those who share them.
void ProportionalMemory(benchmark::State& state) {
  const int level = static_cast<int>(state.range(0));
  const auto count = static_cast<size_t>(state.range(1));
  const Sandbox* const sandbox = SandboxFor(state, level);
  if (sandbox == nullptr) return;
  TreeMemory memory;
  for (auto _ : state) {
    Pipe ready;
    std::optional<Pipe> wait(std::in_place);
    SandboxRequest request = PandasRequest("import os\nos.write(5, b'.')\nos.read(6, 1)\n");
    request.descriptors = {{.host = ready.write.get(), .guest = 5}, {.host = wait->read.get(), .guest = 6}};
    std::vector<std::thread> runners;
    std::vector<absl::Status> ends(count);
    for (size_t i = 0; i < count; ++i) {
      runners.emplace_back([&, i] { ends[i] = RunAtLevel(*sandbox, request, level).status(); });
    }
    for (size_t i = 0; i < count && ByteComes(ready); ++i) {}
    memory = MemoryOfDescendants();
    wait->write.Reset();
    for (std::thread& runner : runners) runner.join();
    for (const absl::Status& end : ends) Must(state, end);
  }
  state.counters["program_kB"] = static_cast<double>(memory.programs_kb) / static_cast<double>(count);
  state.counters["supervisor_kB"] = static_cast<double>(memory.supervisors_kb) / static_cast<double>(count);
}

void Repeat(benchmark::internal::Benchmark* family) {
  family->Iterations(kSpawns)->Repetitions(kRepetitions)->Unit(benchmark::kMicrosecond)->UseRealTime();
}

void Levels(benchmark::internal::Benchmark* family) {
  Repeat(family);
  family->ArgNames({"level", "host_mb"});
  for (int level = 0; level < kLevels; ++level) family->Args({level, 0});
}

void HostSizes(benchmark::internal::Benchmark* family) {
  Repeat(family);
  family->Repetitions(7)->ArgNames({"level", "host_mb"});
  for (const int level : {1, 2}) {
    for (const int megabytes : {1, 256, 1024, 4096}) family->Args({level, megabytes});
  }
}

void TwoAtOnce(benchmark::internal::Benchmark* family) {
  Repeat(family);
  family->Iterations(50)->Threads(2)->ArgNames({"level", "host_mb"});
  for (int level = 0; level < kLevels; ++level) family->Args({level, 0});
}

void EachLevel(benchmark::internal::Benchmark* family) {
  family->Repetitions(5)->Iterations(3)->Unit(benchmark::kMillisecond)->ArgName("level");
  for (int level = 0; level < kLevels; ++level) family->Arg(level);
}

BENCHMARK(Bare)->Apply(Repeat);
BENCHMARK(Run)->Apply(Levels);
BENCHMARK(Run)->Name("RunInHost")->Apply(HostSizes);
BENCHMARK(Bare)->Name("BareByTwo")->Apply(Repeat)->Iterations(50)->Threads(2);
BENCHMARK(Run)->Name("RunByTwo")->Apply(TwoAtOnce);
BENCHMARK(KillToGone)->Apply(EachLevel)->UseManualTime();
BENCHMARK(GroupByBare)->Repetitions(5)->Iterations(3)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(GroupByCold)->Apply(EachLevel)->UseRealTime();
BENCHMARK(ProportionalMemory)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->ArgNames({"level", "runs"})
    ->ArgsProduct({{0, 2}, {1, 4}});

}  // namespace
}  // namespace conclave

int main(int count, char** words) {
  // Before what the caller says, which counts when it says otherwise.
  std::vector<char*> all = {words[0]};
  std::string mixed = "--benchmark_enable_random_interleaving=true";
  std::string aggregates = "--benchmark_report_aggregates_only=true";
  all.push_back(mixed.data());
  all.push_back(aggregates.data());
  all.insert(all.end(), words + 1, words + count);
  int all_count = static_cast<int>(all.size());
  all.push_back(nullptr);
  benchmark::Initialize(&all_count, all.data());
  if (benchmark::ReportUnrecognizedArguments(all_count, all.data())) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
