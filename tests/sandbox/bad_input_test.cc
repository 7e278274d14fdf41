// Runs that make no sense are refused before anything is started, naming what is wrong. Limits and arguments: policy_test.cc.
#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "lib/sandbox/process_sandbox.h"
#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

void ExpectRefused(const ProcessSandboxOptions& options, const std::string& part) {
  const absl::Status status = CreateProcessSandbox(options).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_NE(std::string(status.message()).find(part), std::string::npos) << status;
}

TEST(BadInputTest, TemporaryFolderThatIsALinkIsRefused) {
  const TemporaryFolder folder;
  const std::string link = folder / "link";
  ASSERT_EQ(::symlink("/tmp", link.c_str()), 0);
  ExpectRefused({.temporary_folder = link}, "temporary_folder: " + link + " is a symbolic link to /tmp");
  ExpectRefused({.temporary_folder = link + "//"}, "is a symbolic link to /tmp");
  const std::string nowhere = folder / "nowhere";
  ASSERT_EQ(::symlink("/no/such", nowhere.c_str()), 0);
  ExpectRefused({.temporary_folder = nowhere}, "is a symbolic link to /no/such");
}

TEST(BadInputTest, TemporaryFolderBelowALinkIsResolvedOnce) {
  const TemporaryFolder folder;
  const std::string link = folder / "link";
  ASSERT_EQ(::symlink("/", link.c_str()), 0);
  absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox({.temporary_folder = link + "/tmp"});
  ASSERT_TRUE(sandbox.ok()) << sandbox.status();
  ASSERT_EQ(::unlink(link.c_str()), 0);
  SandboxRequest request;
  request.arguments = {"/bin/true"};
  const absl::StatusOr<SandboxResult> result = (*sandbox)->Run(request, Cancellation());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->end_reason, v1::OK) << result->detail;
}

TEST(BadInputTest, LevelsThatMakeNoSenseAreNamed) {
  ExpectRefused({.isolation = {-1, 2}}, "isolation.required: -1 is no level");
  ExpectRefused({.isolation = {4, 4}}, "isolation.required: 4");
  ExpectRefused({.isolation = {2, 1}}, "isolation.preferred: 1");
  ExpectRefused({.isolation = {0, 4}}, "isolation.preferred: 4");
}

class LoaderTest : public ::testing::Test {
 protected:
  // /bin/true with another interpreter, of at most the same length.
  std::string TrueLoadedBy(const std::string& interpreter) {
    std::ifstream file("/bin/true", std::ios::binary);
    std::string program((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    Elf64_Ehdr header;
    std::memcpy(&header, program.data(), sizeof header);
    for (int i = 0; i < header.e_phnum; ++i) {
      Elf64_Phdr segment;
      std::memcpy(&segment, program.data() + header.e_phoff + static_cast<size_t>(i) * sizeof segment, sizeof segment);
      if (segment.p_type != PT_INTERP) continue;
      EXPECT_LT(interpreter.size(), segment.p_filesz);
      std::memcpy(program.data() + segment.p_offset, interpreter.c_str(), interpreter.size() + 1);
    }
    const std::string path = folder_.Write("program", program);
    EXPECT_EQ(::chmod(path.c_str(), 0755), 0);
    return path;
  }

  void ExpectLaunchFailed(const std::string& program, const std::string& part) {
    absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox(ProcessSandboxOptions());
    ASSERT_TRUE(sandbox.ok()) << sandbox.status();
    SandboxRequest request;
    request.arguments = {program};
    const absl::StatusOr<SandboxResult> result = (*sandbox)->Run(request, Cancellation());
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->end_reason, v1::LAUNCH_FAILED) << result->detail;
    EXPECT_NE(result->detail.find(part), std::string::npos) << result->detail;
    EXPECT_FALSE(result->usage.has_wall_us());
  }

  TemporaryFolder folder_;
};

TEST_F(LoaderTest, MissingInterpreterIsNamed) {
  ExpectLaunchFailed(TrueLoadedBy("/no/such-ld.so"), "needs /no/such-ld.so to be loaded, which cannot be opened: No such file");
}

TEST_F(LoaderTest, InterpreterThatIsNoneIsNamed) {
  ExpectLaunchFailed(TrueLoadedBy("/etc/hostname"), "needs /etc/hostname to be loaded, which is not an ELF program");
}

TEST_F(LoaderTest, InterpreterOfAnotherMachineIsNamed) {
  std::string header(64, '\0');
  header.replace(0, 7,
                 "\x7f"
                 "ELF\x02\x01\x01");
  header[16] = 3;   // position independent, as loaders are
  header[18] = 22;  // for s390
  std::string short_folder = "/tmp/ld-XXXXXX";
  ASSERT_NE(::mkdtemp(short_folder.data()), nullptr);
  const std::string path = short_folder + "/ld";
  std::ofstream(path, std::ios::binary) << header;
  ExpectLaunchFailed(TrueLoadedBy(path), "which is built for another machine (ELF machine 22)");
  std::filesystem::remove_all(short_folder);
}

TEST_F(LoaderTest, ProgramThatIsCutShortIsNamed) {
  std::ifstream file("/bin/true", std::ios::binary);
  std::string start(64, '\0');
  file.read(start.data(), 64);
  const std::string path = folder_.Write("program", start);
  ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
  ExpectLaunchFailed(path, "is an ELF file that is cut short");
}

}  // namespace
}  // namespace conclave
