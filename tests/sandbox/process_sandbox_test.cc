#include "lib/sandbox/process_sandbox.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "lib/base/descriptor.h"
#include "lib/sandbox/layers.h"
#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

class ProcessSandboxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox(ProcessSandboxOptions());
    ASSERT_TRUE(sandbox.ok()) << sandbox.status();
    sandbox_ = *std::move(sandbox);
  }

  SandboxResult Run(const SandboxRequest& request) {
    absl::StatusOr<SandboxResult> result = sandbox_->Run(request, Cancellation());
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : SandboxResult();
  }

  static SandboxRequest Program(const std::string& path) {
    SandboxRequest request;
    request.arguments = {path};
    request.limits.wall = absl::Seconds(60);
    return request;
  }

  static SandboxRequest Shell(const std::string& script) {
    SandboxRequest request = Program("/bin/sh");
    request.arguments.insert(request.arguments.end(), {"-c", script});
    request.limits.processes = 8;
    return request;
  }

  // A program that cannot be started, and what is said about it.
  void ExpectLaunchFailed(const SandboxRequest& request, const std::string& part) {
    const SandboxResult result = Run(request);
    EXPECT_EQ(result.end_reason, v1::LAUNCH_FAILED) << result.detail;
    EXPECT_NE(result.detail.find(part), std::string::npos) << result.detail;
    EXPECT_FALSE(result.usage.has_wall_us());
  }

  std::unique_ptr<Sandbox> sandbox_;
  TemporaryFolder folder_;
};

TEST(FolderForRunsTest, IsTheNamedOneUnlessRunsCannotLiveThere) {
  const TemporaryFolder outer;
  const std::string inner = outer / "inner";
  ASSERT_EQ(::mkdir(inner.c_str(), 0755), 0);
  EXPECT_EQ(FolderForRuns(outer / "none"), "/tmp");
  EXPECT_EQ(FolderForRuns(outer.Write("file", "x")), "/tmp");
  // The outer folder is its owner's alone; runs of a host that is root are not its owner.
  EXPECT_EQ(FolderForRuns(inner), ::geteuid() == 0 ? "/tmp" : inner);
  ASSERT_EQ(::chmod(outer.path().c_str(), 0711), 0);
  EXPECT_EQ(FolderForRuns(inner), inner);
}

TEST_F(ProcessSandboxTest, ProgramsThatCannotBeStartedAreToldApart) {
  ExpectLaunchFailed(Program("/no/such/program"), "/no/such/program cannot be opened: No such file");
  ExpectLaunchFailed(Program("/etc"), "is a folder");
  ExpectLaunchFailed(Program("/dev/null"), "is not a regular file");
  const std::string plain = folder_.Write("plain", "text");
  ExpectLaunchFailed(Program(plain), "is not executable");
  ::chmod(plain.c_str(), 0755);
  ExpectLaunchFailed(Program(plain), "is not an ELF program");
  const std::string script = folder_.Write("script", "#!/bin/sh\n");
  ::chmod(script.c_str(), 0755);
  ExpectLaunchFailed(Program(script), "is a script");
}

TEST_F(ProcessSandboxTest, ProgramOfAnotherMachineIsNamedAsSuch) {
  std::string header(64, '\0');
  header.replace(0, 7,
                 "\x7f"
                 "ELF\x02\x01\x01");
  header[16] = 2;   // an executable
  header[18] = 22;  // for s390
  const std::string foreign = folder_.Write("foreign", header);
  ::chmod(foreign.c_str(), 0755);
  ExpectLaunchFailed(Program(foreign), "built for another machine (ELF machine 22)");
}

TEST_F(ProcessSandboxTest, Exit127IsAnExitStatus) {
  const SandboxResult result = Run(Shell("exit 127"));
  EXPECT_EQ(result.end_reason, v1::EXIT_NONZERO) << result.detail;
  EXPECT_EQ(result.exit_code, 127);
}

TEST_F(ProcessSandboxTest, ProgramThatOnlyTheHostCanReachRunsWhenGivenOpen) {
  const std::string copy = folder_ / "true";
  std::filesystem::copy_file("/bin/true", copy);
  ::chmod(folder_.path().c_str(), 0700);
  SandboxRequest request = Program(copy);
  if (::geteuid() == 0) ExpectLaunchFailed(request, "make it readable and executable for everybody");
  const Descriptor open_program(::open(copy.c_str(), O_RDONLY | O_CLOEXEC));
  request.executable = open_program.get();
  EXPECT_EQ(Run(request).end_reason, v1::OK);
}

TEST_F(ProcessSandboxTest, TrueIsOkAndAllLayersAreProven) {
  const SandboxResult result = Run(Program("/bin/true"));
  EXPECT_EQ(result.end_reason, v1::OK) << result.detail;
  EXPECT_EQ(result.isolation_level, sandbox_->Probe()->isolation_level);
  EXPECT_GE(result.isolation_level, 0);
  for (int level = 0; level <= result.isolation_level; ++level) {
    for (const Layer& layer : LayersOfLevel(level)) {
      const auto state = std::find_if(result.layers.begin(), result.layers.end(),
                                      [&](const v1::LayerState& found) { return found.name() == layer.name; });
      ASSERT_NE(state, result.layers.end()) << layer.name;
      EXPECT_TRUE(state->achieved() || !layer.required) << layer.name << ": " << state->detail();
    }
  }
  EXPECT_TRUE(result.usage.has_setup_us());
  EXPECT_EQ(result.usage.processes_peak(), 1);
}

TEST_F(ProcessSandboxTest, OutputAndExitStatusComeBack) {
  const SandboxResult result = Run(Shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(result.end_reason, v1::EXIT_NONZERO) << result.detail;
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.standard_output.head(), "out\n");
  EXPECT_EQ(result.standard_error.head(), "err\n");
  EXPECT_EQ(result.usage.output_bytes(), 8);
}

TEST_F(ProcessSandboxTest, FolderIsHomeAndGoesWithTheRun) {
  const SandboxResult result = Run(Shell("test \"$PWD\" = \"$HOME\" && test \"$HOME\" = \"$TMPDIR\" && echo x > file && pwd"));
  ASSERT_EQ(result.end_reason, v1::OK) << result.detail;
  EXPECT_EQ(result.usage.disk_inodes(), 1);
  std::string path = result.standard_output.head();
  path.pop_back();
  EXPECT_NE(::access(path.c_str(), F_OK), 0) << path;
}

TEST_F(ProcessSandboxTest, GrantsResultAndInputAreAtTheirNumbers) {
  absl::StatusOr<Descriptor> input = SealedMemory("input", "in\n");
  absl::StatusOr<Descriptor> extra = SealedMemory("extra", "extra\n");
  ASSERT_TRUE(input.ok() && extra.ok());
  SandboxRequest request = Shell("read a; read b <&9; echo \"$a $b\" >&5");
  request.descriptors = {{input->get(), 0}, {extra->get(), 9}};
  request.result_bytes = 100;
  request.result_descriptor = 5;
  const SandboxResult result = Run(request);
  EXPECT_EQ(result.end_reason, v1::OK) << result.detail << result.standard_error.head();
  EXPECT_EQ(result.result, "in extra\n");
}

TEST_F(ProcessSandboxTest, TwoRunsDoNotShareAUidWhenTheHostIsRoot) {
  const SandboxRequest request = Shell("id -u");
  const std::string first = Run(request).standard_output.head();
  const std::string second = Run(request).standard_output.head();
  if (::geteuid() == 0) {
    EXPECT_NE(first, second);
  } else {
    EXPECT_EQ(first, std::to_string(::geteuid()) + "\n");
  }
}

TEST_F(ProcessSandboxTest, LongArgumentsArrive) {
  SandboxRequest request = Shell("echo ${#1} ${#8}; exit $#");
  request.arguments.push_back("name");
  for (int i = 0; i < 8; ++i) request.arguments.emplace_back(100'000, 'x');
  const SandboxResult result = Run(request);
  EXPECT_EQ(result.exit_code, 8) << result.detail;
  EXPECT_EQ(result.standard_output.head(), "100000 100000\n");
}

TEST_F(ProcessSandboxTest, ArtifactsComeInOrderOfTheirNames) {
  SandboxRequest request = Shell("echo 2 > b; echo 1 > a; mkdir d; echo 3 > d/c; echo 0 > .hidden");
  request.artifacts = 10;
  const SandboxResult result = Run(request);
  ASSERT_EQ(result.artifacts.size(), 3u) << result.detail;
  EXPECT_EQ(result.artifacts[0].name, "a");
  EXPECT_EQ(result.artifacts[1].content, "2\n");
  EXPECT_EQ(result.artifacts[2].name, "d/c");
}

TEST_F(ProcessSandboxTest, CancellationEndsARun) {
  const CancellationSource source;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Descriptor told(ends[0]);
  Descriptor tells(ends[1]);
  std::thread canceller([&] {
    char begun = 0;
    EXPECT_EQ(::read(told.get(), &begun, 1), 1);
    source.Cancel();
  });
  SandboxRequest request = Shell("echo begun; echo >&9; sleep 99");
  request.descriptors = {{tells.get(), 9}};
  const absl::StatusOr<SandboxResult> result = sandbox_->Run(request, source.token());
  tells.Reset();
  canceller.join();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->end_reason, v1::CANCELLED) << result->detail;
  EXPECT_EQ(result->standard_output.head(), "begun\n");
}

TEST_F(ProcessSandboxTest, ProbeTellsLayersAndWhereTheSupervisorComesFrom) {
  const absl::StatusOr<SandboxCapabilities> embedded = sandbox_->Probe();
  ASSERT_TRUE(embedded.ok()) << embedded.status();
  EXPECT_GE(embedded->isolation_level, 0);
  EXPECT_EQ(embedded->supervisor, "embedded");
  const std::string path = CONCLAVE_LIBEXEC_DIR "/conclave-supervisor";
  absl::StatusOr<std::unique_ptr<Sandbox>> from_file = CreateProcessSandbox({.supervisor_path = path});
  ASSERT_TRUE(from_file.ok()) << from_file.status();
  const absl::StatusOr<SandboxCapabilities> file = (*from_file)->Probe();
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->supervisor, path);
}

TEST_F(ProcessSandboxTest, BadOptionsAreNamed) {
  absl::Status status = CreateProcessSandbox({.supervisor_path = "/no/such"}).status();
  EXPECT_NE(std::string(status.message()).find("supervisor_path: /no/such"), std::string::npos) << status;
  EXPECT_FALSE(CreateProcessSandbox({.supervisor_path = "/etc/passwd"}).ok());
  status = CreateProcessSandbox({.temporary_folder = "/no/such"}).status();
  EXPECT_NE(std::string(status.message()).find("temporary_folder: /no/such"), std::string::npos) << status;
  EXPECT_FALSE(CreateProcessSandbox({.temporary_folder = "/etc/passwd"}).ok());
}

TEST_F(ProcessSandboxTest, AnotherProgramAsSupervisorIsNoRun) {
  absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox({.supervisor_path = "/bin/true"});
  ASSERT_TRUE(sandbox.ok());
  const absl::StatusOr<SandboxResult> result = (*sandbox)->Run(Program("/bin/true"), Cancellation());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->end_reason, v1::STATUS_LOST);
  EXPECT_EQ(result->isolation_level, -1);
}

TEST_F(ProcessSandboxTest, SupervisorOfAnotherVersionIsNamed) {
  const std::string path = CONCLAVE_BIN_DIR "/supervisor_of_another_version";
  absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox({.supervisor_path = path});
  ASSERT_TRUE(sandbox.ok());
  const absl::Status status = (*sandbox)->Run(Program("/bin/true"), Cancellation()).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_NE(std::string(status.message()).find(path + ") is of another version"), std::string::npos) << status;
}

TEST_F(ProcessSandboxTest, FolderThatTheRunCannotReachIsRefusedNamingIt) {
  if (::geteuid() != 0) return;  // an ordinary user's run reaches what its host reaches
  ::chmod(folder_.path().c_str(), 0700);
  absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox({.temporary_folder = folder_.path()});
  ASSERT_TRUE(sandbox.ok());
  const absl::Status status = (*sandbox)->Run(Program("/bin/true"), Cancellation()).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_NE(std::string(status.message()).find(folder_.path()), std::string::npos) << status;
}

}  // namespace
}  // namespace conclave
