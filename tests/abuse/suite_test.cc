// Every program of the suite at every level of isolation that this machine has, and which levels it must have.
#include "tests/abuse/suite.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/abuse/abuse.h"
#include "tests/abuse/bystander.h"
#include "tests/abuse/record.h"

namespace conclave {
namespace {

// System V's tables of this machine, less their headers.
std::string SystemVObjects() {
  std::string all;
  for (const char* kind : {"shm", "sem", "msg"}) {
    std::ifstream file(absl::StrCat("/proc/sysvipc/", kind));
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) absl::StrAppend(&all, kind, line.substr(0, 22), "\n");
  }
  return all;
}

class AbuseSuiteTest : public AbuseTest, public ::testing::WithParamInterface<std::tuple<size_t, int>> {
 protected:
  const AbuseCase& abuse_case() const { return AbuseCases()[std::get<0>(GetParam())]; }
  int level() const { return std::get<1>(GetParam()); }

  void SetUp() override {
    AbuseTest::SetUp();
    UseLevel(level());
    bystander_ = std::make_unique<Bystander>(PathOf(""));
    descriptors_ = OpenDescriptors();
  }

  SandboxRequest Request() {
    std::vector<std::string> arguments;
    for (std::string argument : abuse_case().arguments) {
      for (const auto& [name, value] : bystander_->names()) absl::StrReplaceAll({{name, value}}, &argument);
      absl::StrReplaceAll({{"{mark}", mark()}}, &argument);
      arguments.push_back(argument);
    }
    SandboxRequest request = Program(abuse_case().program, arguments);
    if (abuse_case().adjust != nullptr) abuse_case().adjust(request);
    if (abuse_case().may_read_folder) request.readable = {bystander_->folder()};
    if (abuse_case().lends_secret) {
      secret_ = Descriptor(::open(bystander_->names().at("{secret}").c_str(), O_RDONLY | O_CLOEXEC));
      request.descriptors = {{secret_.get(), 5}};
    }
    return request;
  }

  // What a run must never do, at any level, whatever gets through otherwise, as seen from the host.
  void ExpectNothingLeft() {
    EXPECT_EQ(bystander_->Added(), "");
    EXPECT_FALSE(std::filesystem::exists(absl::StrCat("/dev/shm/conclave-abuse-", mark())));
    EXPECT_FALSE(std::filesystem::exists(absl::StrCat("/tmp/conclave-abuse-", mark())));
    secret_.Reset();
    EXPECT_LE(OpenDescriptors(), descriptors_ + 1) << "a descriptor is left beside the program's own";
    EXPECT_TRUE(Eventually([] { return Threads() == 1; }));
  }

  std::unique_ptr<Bystander> bystander_;
  Descriptor secret_;
  int descriptors_ = 0;
};

TEST_P(AbuseSuiteTest, EndsAsExpected) {
  const std::string expected = ExpectedAt(abuse_case(), level(), IsRoot());
  const std::string objects = SystemVObjects();
  const SandboxRequest request = Request();
  SandboxResult result;
  for (int i = 0; i < abuse_case().runs; ++i) result = Run(request);
  const std::string seen = SeenEnd(result);
  EXPECT_EQ(result.isolation_level, level()) << result.detail;
  EXPECT_TRUE(IsOneOf(expected, seen)) << abuse_case().program << " at level " << level() << ": expected " << expected
                                       << ", seen " << seen << "; " << result.detail << "\n"
                                       << result.standard_output.head() << result.standard_error.head();
  if (seen == "ok") {
    EXPECT_TRUE(bystander_->alive());
    EXPECT_TRUE(bystander_->secret_is_whole());
  }
  if (abuse_case().program == "lasting_memory") {
    EXPECT_EQ(SystemVObjects(), objects);
  }
  ExpectNothingLeft();
  RecordLine("suite", absl::StrCat("| ", abuse_case().number, " | ", abuse_case().program, " | ", abuse_case().tries, " | ",
                                   level(), " | ", expected, " | ", seen, " |"));
}

std::string NameOf(const ::testing::TestParamInfo<std::tuple<size_t, int>>& parameters) {
  const auto [index, level] = parameters.param;
  return absl::StrCat(AbuseCases()[index].program, "_", index, "_L", level);
}

std::vector<size_t> AllCases() {
  std::vector<size_t> all(AbuseCases().size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

class SuiteLevels : public AbuseTest {
 public:
  using AbuseTest::Levels;
};

INSTANTIATE_TEST_SUITE_P(Suite, AbuseSuiteTest,
                         ::testing::Combine(::testing::ValuesIn(AllCases()), ::testing::ValuesIn(SuiteLevels::Levels())),
                         NameOf);

// Whether a process of its own can do this; none of the library's code takes part.
bool Can(bool (*attempt)()) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(attempt() ? 0 : 1);
  int status = 1;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool HasFilters() {
  const bool landlock = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1;
  return landlock && ::prctl(PR_GET_SECCOMP) >= 0;
}

void MapOneself(const char* file, unsigned id) {
  const std::string line = absl::StrCat(id, " ", id, " 1");
  const Descriptor map(::open(file, O_WRONLY | O_CLOEXEC));
  [[maybe_unused]] const ssize_t count = ::write(map.get(), line.data(), line.size());
}

// In namespaces of its own: an empty file system, and /proc of the new process namespace.
bool HasNamespaces(int more) {
  const unsigned uid = ::geteuid(), gid = ::getegid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | more) != 0) return false;
  const Descriptor groups(::open("/proc/self/setgroups", O_WRONLY | O_CLOEXEC));
  if (::write(groups.get(), "deny", 4) != 4) return false;
  MapOneself("/proc/self/uid_map", uid);
  MapOneself("/proc/self/gid_map", gid);
  return Can([] {
    return ::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0 &&
           ::mount("none", "/tmp", "tmpfs", 0, nullptr) == 0 && ::mount("none", "/proc", "proc", 0, nullptr) == 0;
  });
}

TEST_F(SuiteLevels, AreThoseThatTheKernelAllows) {
  int expected = 0;
  if (HasFilters()) expected = 1;
  if (expected == 1 && Can([] { return HasNamespaces(0); })) expected = 2;
  if (expected == 2 && Can([] { return HasNamespaces(CLONE_NEWNET); })) expected = 3;
  EXPECT_EQ(BestLevel(), expected);
}

TEST(SuiteDocumentTest, SecurityDocumentShowsTheSuite) {
  std::ifstream file(CONCLAVE_SOURCE_DIR "/docs/security.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const std::string& line : DocumentedLines()) EXPECT_NE(text.find(line + "\n"), std::string::npos) << line;
}

}  // namespace
}  // namespace conclave
