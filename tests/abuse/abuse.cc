#include "tests/abuse/abuse.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "lib/sandbox/process_sandbox.h"

namespace conclave {
namespace {

int EntriesOf(const char* folder) {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

}  // namespace

AbuseTest::AbuseTest() = default;
AbuseTest::~AbuseTest() = default;

void AbuseTest::SetUp() {
  std::string folder = "/tmp/abuse-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
  temporary_folder_ = folder;
  mark_ = folder.substr(folder.size() - 6);
  absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox({.temporary_folder = folder});
  ASSERT_TRUE(sandbox.ok()) << sandbox.status();
  sandbox_ = *std::move(sandbox);
}

void AbuseTest::TearDown() {
  AwaitRemovers();
  EXPECT_TRUE(ProcessesMarked(mark_).empty()) << "a process survived its run";
  EXPECT_TRUE(FilesLeft().empty()) << "a run left " << FilesLeft().front();
  std::filesystem::remove_all(temporary_folder_);
}

void AbuseTest::UseLevel(int level) {
  absl::StatusOr<std::unique_ptr<Sandbox>> sandbox =
      CreateProcessSandbox({.temporary_folder = temporary_folder_, .isolation = {level, level}});
  ASSERT_TRUE(sandbox.ok()) << sandbox.status();
  sandbox_ = *std::move(sandbox);
}

int AbuseTest::BestLevel() {
  static const int best = [] {
    absl::StatusOr<std::unique_ptr<Sandbox>> sandbox =
        CreateProcessSandbox({.isolation = {0, static_cast<int>(kIsolationRange.most)}});
    if (!sandbox.ok()) return -1;
    const absl::StatusOr<SandboxCapabilities> here = (*sandbox)->Probe();
    return here.ok() ? here->isolation_level : -1;
  }();
  return best;
}

std::vector<int> AbuseTest::Levels() {
  std::vector<int> levels;
  for (int level = 0; level <= BestLevel(); ++level) levels.push_back(level);
  return levels;
}

SandboxRequest AbuseTest::Program(const std::string& name, const std::vector<std::string>& arguments) {
  programs_.emplace_back(::open(PathOf(name).c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(programs_.back().valid()) << PathOf(name);
  SandboxRequest request;
  request.executable = programs_.back().get();
  request.arguments = {name + "-" + mark_};
  request.arguments.insert(request.arguments.end(), arguments.begin(), arguments.end());
  request.limits.wall = absl::Seconds(60);
  request.limits.cpu = absl::Seconds(5);
  request.limits.memory_bytes = 64 << 20;
  request.limits.disk_bytes = 16 << 20;
  request.limits.disk_inodes = 200;
  request.limits.output_bytes = 4096;
  return request;
}

SandboxResult AbuseTest::Run(const SandboxRequest& request, const Cancellation& cancellation) {
  absl::StatusOr<SandboxResult> result = sandbox_->Run(request, cancellation);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return SandboxResult();
  AwaitRemovers();
  EXPECT_TRUE(ProcessesMarked(mark_).empty()) << "a process survived its run";
  EXPECT_TRUE(FilesLeft().empty()) << "a run left its folder; " << result->detail;
  return *std::move(result);
}

std::vector<SandboxResult> AbuseTest::RunAloneAndInCompany(const std::string& name) {
  std::vector<SandboxResult> results;
  for (const int processes : {1, 4}) {
    SandboxRequest request = Program(name);
    request.limits.processes = processes;
    results.push_back(Run(request));
  }
  return results;
}

// On a slow disk what a run left is removed by a process of its own after the run's end; it is no survivor, and it must end.
void AbuseTest::AwaitRemovers() const {
  const auto removing = [this] {
    for (const int pid : ProcessesMarked(mark_)) {
      std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
      const std::string command((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      if (command.find("--remove") != std::string::npos) return true;
    }
    return false;
  };
  EXPECT_TRUE(Eventually([&] { return !removing(); })) << "a run's folder is still being removed";
}

bool AbuseTest::IsRoot() { return ::geteuid() == 0; }

std::string AbuseTest::PathOf(const std::string& program) { return CONCLAVE_ABUSE_DIR "/" + program; }

std::vector<int> AbuseTest::ProcessesMarked(const std::string& mark) {
  std::vector<int> pids;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    std::ifstream file(entry.path() / "cmdline");
    std::ostringstream line;
    line << file.rdbuf();
    if (pid != ::getpid() && line.str().find("-" + mark) != std::string::npos) pids.push_back(pid);
  }
  return pids;
}

bool AbuseTest::Eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 6000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

int AbuseTest::OpenDescriptors() { return EntriesOf("/proc/self/fd"); }

int AbuseTest::Threads() { return EntriesOf("/proc/self/task"); }

std::vector<std::string> AbuseTest::FilesLeft() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(temporary_folder_)) names.push_back(entry.path().string());
  return names;
}

}  // namespace conclave
