// What the compiled filters answer, for both architectures and levels, by an evaluator instead of a kernel.
#include "lib/guest/supervisor/filter_compiler.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <cerrno>
#include <csignal>
#include <map>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/bpf_evaluator.h"

namespace conclave {
namespace {

constexpr uint32_t kAllow = FILTER_RETURN_ALLOW;
constexpr uint32_t kKill = FILTER_RETURN_KILL;
constexpr uint32_t Errno(int error) { return FILTER_RETURN_ERRNO | static_cast<uint32_t>(error); }
constexpr uint64_t kHighHalf = uint64_t{0xdeadbeef} << 32;
constexpr pid_t kSelf = 4321;
constexpr pid_t kSupervisor = 1234;
constexpr uint32_t kAuditNames[] = {FILTER_AUDIT_X86_64, FILTER_AUDIT_ARM64};

std::vector<filter_options> AllOptions() {
  std::vector<filter_options> all;
  for (int level : {0, 1}) {
    for (int one_process : {0, 1}) {
      for (pid_t self : {0, kSelf}) {
        for (pid_t supervisor : {0, kSupervisor}) {
          for (int confining : {0, 1}) all.push_back({level, one_process, self, supervisor, confining});
        }
      }
    }
  }
  return all;
}

filter_program Compile(const filter_options& options, filter_architecture architecture) {
  filter_program program;
  EXPECT_EQ(filter_compile(&options, architecture, &program), 0);
  EXPECT_EQ(WhatIsWrong(program), "");
  return program;
}

std::span<const filter_call> Calls() {
  size_t count;
  const filter_call* const calls = filter_calls(&count);
  return {calls, count};
}

// The rules read from top to bottom, as they are written.
uint32_t ReturnOf(const filter_options& options, filter_rule rule) {
  if (rule.action == FILTER_KILL) return kKill;
  if (rule.action == FILTER_ALLOW) return kAllow;
  const bool several = options.one_process == 0;
  if (rule.exception == FILTER_UNLESS_SEVERAL && several) return kAllow;
  if (rule.exception == FILTER_UNLESS_UNKNOWN && (several || options.self == 0)) return kAllow;
  if (rule.exception == FILTER_UNLESS_CONFINING && options.confining != 0) return kAllow;
  return Errno(rule.detail);
}

bool Answers(const filter_options& options, const filter_question& question, uint32_t argument) {
  uint32_t value = question.value;
  if (question.operand != FILTER_VALUE) {
    const bool supervisor = question.operand == FILTER_SUPERVISOR || question.operand == FILTER_SUPERVISOR_GROUP;
    const pid_t pid = supervisor ? options.supervisor : options.self;
    if (pid == 0) return false;
    const bool group = question.operand == FILTER_SELF_GROUP || question.operand == FILTER_SUPERVISOR_GROUP;
    value = static_cast<uint32_t>(group ? -pid : pid);
  }
  switch (question.comparison) {
    case FILTER_EQUAL: return argument == value;
    case FILTER_NOT_EQUAL: return argument != value;
    case FILTER_ANY_BIT: return (argument & value) != 0;
    default: return (argument & value) == 0;
  }
}

uint32_t Expected(const filter_options& options, filter_architecture architecture, const CallRecord& call) {
  if (call.architecture != kAuditNames[architecture]) return ReturnOf(options, filter_rule_for_foreign(options.level));
  if (architecture == FILTER_X86_64 && call.number >= FILTER_X32_BIT) return Errno(ENOSYS);
  for (const filter_call& entry : Calls()) {
    if (entry.number[architecture] < 0 || static_cast<uint32_t>(entry.number[architecture]) != call.number) continue;
    const filter_rule rule = entry.rule[options.level];
    if (rule.action != FILTER_CHECK) return ReturnOf(options, rule);
    const filter_check* const check = filter_check_of(rule.detail);
    for (size_t i = 0; i < check->count; ++i) {
      const filter_question& question = check->questions[i];
      if (Answers(options, question, static_cast<uint32_t>(call.arguments[question.argument]))) {
        return ReturnOf(options, question.rule);
      }
    }
    return ReturnOf(options, check->otherwise);
  }
  return ReturnOf(options, filter_rule_for_unknown(options.level));
}

// One filter, asked by name.
class Filter {
 public:
  Filter(const filter_options& options, filter_architecture architecture)
      : architecture_(architecture), program_(Compile(options, architecture)) {}

  uint32_t operator()(const std::string& name, std::array<uint64_t, 6> arguments = {}) const {
    for (const filter_call& call : Calls()) {
      if (call.name == name) return Number(static_cast<uint32_t>(call.number[architecture_]), arguments);
    }
    ADD_FAILURE() << name << " is not in the table";
    return 0;
  }

  uint32_t Number(uint32_t number, std::array<uint64_t, 6> arguments = {}) const {
    return Evaluate(program_, {number, kAuditNames[architecture_], 0x7fff12345678, arguments}).result;
  }

 private:
  filter_architecture architecture_;
  filter_program program_;
};

class FilterTest : public testing::TestWithParam<filter_architecture> {
 protected:
  Filter Make(const filter_options& options) const { return Filter(options, GetParam()); }
  Filter Alone(int level) const { return Make({level, 1, kSelf, kSupervisor, 0}); }
  Filter Several(int level) const { return Make({level, 0, kSelf, kSupervisor, 0}); }
};

std::string ArchitectureName(const testing::TestParamInfo<filter_architecture>& info) {
  return info.param == FILTER_X86_64 ? "x86_64" : "arm64";
}
INSTANTIATE_TEST_SUITE_P(Both, FilterTest, testing::Values(FILTER_X86_64, FILTER_ARM64), ArchitectureName);

TEST_P(FilterTest, OptionsOutOfRangeAreRefused) {
  filter_program program;
  const std::vector<filter_options> unsound = {{-1, 0, 0, 0, 0}, {2, 0, 0, 0, 0}, {1, 1, -1, 0, 0}, {1, 1, 0, -5, 0}};
  for (const filter_options& options : unsound) {
    EXPECT_EQ(filter_compile(&options, GetParam(), &program), EINVAL) << options.level;
  }
  const filter_options sound = {0, 0, 0, 0, 0};
  EXPECT_EQ(filter_compile(&sound, static_cast<filter_architecture>(2), &program), EINVAL);
}

TEST_P(FilterTest, TreesAnswerWhatTheRulesSayForAllNumbersAndAnyArguments) {
  std::mt19937_64 random(20261201);
  // Values that rules ask for, and their neighbours.
  std::vector<uint32_t> telling = {
      0, 1, UINT32_MAX, kSelf, kSupervisor, static_cast<uint32_t>(-kSelf), static_cast<uint32_t>(-kSupervisor)};
  for (unsigned name = FILTER_CHECK_NONE + 1; name < FILTER_CHECKS; ++name) {
    const filter_check* const check = filter_check_of(name);
    for (size_t i = 0; i < check->count; ++i) telling.push_back(check->questions[i].value);
  }
  for (const filter_options& options : AllOptions()) {
    const filter_program program = Compile(options, GetParam());
    for (uint32_t number = 0; number <= 1100; ++number) {
      for (int repeat = 0; repeat < 12; ++repeat) {
        CallRecord call{number, kAuditNames[GetParam()], random(), {}};
        for (uint64_t& argument : call.arguments) {
          argument = random();
          if (argument % 4 != 0)
            argument = (argument & ~uint64_t{UINT32_MAX}) | (telling[random() % telling.size()] + random() % 3 - 1);
        }
        ASSERT_EQ(Evaluate(program, call).result, Expected(options, GetParam(), call))
            << "level " << options.level << ", number " << number << ", arguments " << std::hex << call.arguments[0] << " "
            << call.arguments[1] << " " << call.arguments[2] << " " << call.arguments[3];
      }
    }
  }
}

TEST_P(FilterTest, EveryQuestionIsAnsweredWithYesSomewhere) {
  for (const filter_options& options : AllOptions()) {
    const filter_program program = Compile(options, GetParam());
    for (const filter_call& entry : Calls()) {
      const filter_rule rule = entry.rule[options.level];
      if (rule.action != FILTER_CHECK || entry.number[GetParam()] < 0) continue;
      const filter_check* const check = filter_check_of(rule.detail);
      for (size_t i = 0; i < check->count; ++i) {
        CallRecord call{static_cast<uint32_t>(entry.number[GetParam()]), kAuditNames[GetParam()], 0, {}};
        const filter_question& question = check->questions[i];
        call.arguments[question.argument] = question.value | kHighHalf;
        ASSERT_EQ(Evaluate(program, call).result, Expected(options, GetParam(), call)) << entry.name << ", question " << i;
      }
    }
  }
}

TEST_P(FilterTest, HighHalvesOfArgumentsChangeNothing) {
  std::mt19937_64 random(7);
  for (const filter_options& options : AllOptions()) {
    const filter_program program = Compile(options, GetParam());
    for (const filter_call& entry : Calls()) {
      if (entry.number[GetParam()] < 0) continue;
      CallRecord call{static_cast<uint32_t>(entry.number[GetParam()]), kAuditNames[GetParam()], 0, {}};
      for (uint64_t& argument : call.arguments) argument = random() % 64;
      const uint32_t plain = Evaluate(program, call).result;
      for (uint64_t& argument : call.arguments) argument |= kHighHalf;
      EXPECT_EQ(Evaluate(program, call).result, plain) << entry.name;
    }
  }
}

TEST_P(FilterTest, SameOptionsGiveTheSameProgram) {
  for (const filter_options& options : AllOptions()) {
    const filter_program one = Compile(options, GetParam());
    const filter_program other = Compile(options, GetParam());
    ASSERT_EQ(one.count, other.count);
    EXPECT_EQ(std::memcmp(one.steps, other.steps, one.count * sizeof *one.steps), 0);
  }
}

TEST_P(FilterTest, ProgramsAreShortAndLookupsShallow) {
  for (const filter_options& options : AllOptions()) {
    const filter_program program = Compile(options, GetParam());
    RecordProperty("steps_level_" + std::to_string(options.level), static_cast<int>(program.count));
    EXPECT_LE(program.count, options.level == 0 ? 120u : 270u);
    for (uint32_t number = 0; number <= 1100; ++number) {
      const Verdict verdict = Evaluate(program, {number, kAuditNames[GetParam()], 0, {}});
      EXPECT_LE(verdict.number_comparisons, 11) << number;
      EXPECT_LE(verdict.comparisons, 11 + 40) << number;
    }
  }
}

TEST_P(FilterTest, OtherArchitecturesAreNotServed) {
  const uint32_t i386 = 0x40000003;
  for (uint32_t architecture :
       {i386, 0u, kAuditNames[GetParam() == FILTER_X86_64 ? FILTER_ARM64 : FILTER_X86_64], 0x40000028u}) {
    for (uint32_t number : {0u, 1u, 11u, 20u, 64u, 400u, 1000u, FILTER_X32_BIT}) {
      const CallRecord call{number, architecture, 0, {}};
      EXPECT_EQ(Evaluate(Compile({0, 1, kSelf, kSupervisor, 0}, GetParam()), call).result, Errno(ENOSYS)) << number;
      EXPECT_EQ(Evaluate(Compile({1, 1, kSelf, kSupervisor, 0}, GetParam()), call).result, kKill) << number;
    }
  }
}

TEST_P(FilterTest, NumbersAboveTheTableAreAllowedAtLevel0AndUnknownAtLevel1) {
  for (uint32_t number : {423u, 480u, 511u, 512u, 513u, 1000u, 0x3fffffffu}) {
    EXPECT_EQ(Alone(0).Number(number), kAllow) << number;
    EXPECT_EQ(Alone(1).Number(number), Errno(ENOSYS)) << number;
  }
}

TEST(X32Test, EntriesAreUnknownAtEveryLevel) {
  for (int level : {0, 1}) {
    const Filter filter({level, 0, 0, 0, 0}, FILTER_X86_64);
    for (uint32_t number : {0u, 1u, 39u, 512u, 520u, 0x3fffffffu, 0xbfffffffu}) {
      EXPECT_EQ(filter.Number(FILTER_X32_BIT + number), Errno(ENOSYS)) << number;
    }
  }
}

// What has been refused since there is a filter, whatever the arguments are. Level 0 refuses no more than this.
std::map<std::string, int> RefusedAtLevel0() {
  const std::pair<int, const char*> groups[] = {
      {ENOSYS, "shmget msgget semget clone3 memfd_create memfd_secret io_uring_setup splice vmsplice tee sendfile"},
      {ENOSYS, "inotify_init inotify_init1 fanotify_init landlock_create_ruleset pidfd_send_signal"},
      {EPERM,
       "unshare setns mount umount2 pivot_root chroot open_tree move_mount fsopen fsmount mount_setattr bpf setpriority"},
      {EACCES, "socket socketpair"},
      {EAGAIN, "fork vfork"}};
  std::map<std::string, int> refused;
  for (const auto& [error, names] : groups) {
    std::istringstream words(names);
    for (std::string name; words >> name;) refused[name] = error;
  }
  return refused;
}

TEST_P(FilterTest, Level0RefusesTheseAndNothingElse) {
  const Filter filter = Alone(0);
  const std::map<std::string, int> all = RefusedAtLevel0();
  for (const filter_call& call : Calls()) {
    if (call.number[GetParam()] < 0) continue;
    const auto refused = all.find(call.name);
    const uint32_t expected = refused == all.end() ? kAllow : Errno(refused->second);
    if (std::string(call.name) == "clone") continue;  // without flags it starts a process
    EXPECT_EQ(filter(call.name), expected) << call.name;
  }
}

TEST_P(FilterTest, Level1RefusesWhateverLevel0RefusesWithTheSameErrorAndAllowsNothingThatLevel0Refuses) {
  std::mt19937_64 random(3);
  for (int one_process : {0, 1}) {
    const Filter low = Make({0, one_process, kSelf, kSupervisor, 0});
    const Filter high = Make({1, one_process, kSelf, kSupervisor, 0});
    for (uint32_t number = 0; number < 600; ++number) {
      for (int repeat = 0; repeat < 50; ++repeat) {
        const uint64_t pids[] = {kSelf,    kSupervisor,  static_cast<uint32_t>(-kSupervisor), UINT32_MAX, 0,
                                 random(), random() % 64};
        std::array<uint64_t, 6> arguments;
        for (uint64_t& argument : arguments) argument = pids[random() % 7];
        const uint32_t before = low.Number(number, arguments);
        if (before == kAllow) continue;
        EXPECT_EQ(high.Number(number, arguments), before) << number;
      }
    }
  }
}

TEST_P(FilterTest, NewProcessesAreRefusedWithAnErrorAndNewThreadsAreNot) {
  const uint64_t thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS;
  const uint64_t vfork = CLONE_VM | CLONE_VFORK | SIGCHLD;
  for (int level : {0, 1}) {
    EXPECT_EQ(Alone(level)("clone", {SIGCHLD}), Errno(EAGAIN));
    EXPECT_EQ(Alone(level)("clone", {vfork}), Errno(EAGAIN));
    EXPECT_EQ(Several(level)("clone", {SIGCHLD}), kAllow);
    EXPECT_EQ(Several(level)("clone", {vfork}), kAllow);
    for (const Filter& filter : {Alone(level), Several(level)}) {
      EXPECT_EQ(filter("clone", {thread}), kAllow);
      EXPECT_EQ(filter("clone", {thread | kHighHalf}), kAllow);
      EXPECT_EQ(filter("clone", {thread & ~uint64_t{CLONE_FILES}}), Errno(EPERM));
      EXPECT_EQ(filter("clone3", {thread}), Errno(ENOSYS));
      EXPECT_EQ(filter("execve"), kAllow);
      EXPECT_EQ(filter("execveat"), kAllow);
      for (uint64_t flag :
           {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET}) {
        EXPECT_EQ(filter("clone", {flag | SIGCHLD}), Errno(EPERM)) << std::hex << flag;
        EXPECT_EQ(filter("clone", {flag | thread}), Errno(EPERM)) << std::hex << flag;
      }
    }
  }
  if (GetParam() == FILTER_X86_64) {
    EXPECT_EQ(Alone(1)("fork"), Errno(EAGAIN));
    EXPECT_EQ(Several(1)("vfork"), kAllow);
  }
}

TEST_P(FilterTest, SharedMemoryNeedsAFile) {
  for (int level : {0, 1}) {
    const Filter filter = Several(level);
    const uint64_t validated = 3;  // MAP_SHARED_VALIDATE
    EXPECT_EQ(filter("mmap", {0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS}), kAllow);
    EXPECT_EQ(filter("mmap", {0, 4096, 3, MAP_SHARED}), kAllow);
    EXPECT_EQ(filter("mmap", {0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS}), kAllow) << "for just-in-time compilers";
    EXPECT_EQ(filter("mmap", {0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS}), Errno(EPERM));
    EXPECT_EQ(filter("mmap", {0, 4096, 3, validated | MAP_ANONYMOUS}), Errno(EPERM));
    EXPECT_EQ(filter("mmap", {0, 4096, 3, kHighHalf | MAP_SHARED | MAP_ANONYMOUS}), Errno(EPERM));
  }
}

TEST_P(FilterTest, NoLevelReachesTheSupervisor) {
  const std::vector<std::string> by_pid = {"kill",
                                           "tkill",
                                           "tgkill",
                                           "rt_sigqueueinfo",
                                           "rt_tgsigqueueinfo",
                                           "pidfd_open",
                                           "sched_setscheduler",
                                           "sched_setparam",
                                           "sched_setattr",
                                           "sched_setaffinity",
                                           "prlimit64"};
  for (int level : {0, 1}) {
    for (const Filter& filter : {Alone(level), Several(level)}) {
      for (const std::string& name : by_pid) {
        const uint32_t group = static_cast<uint32_t>(-kSupervisor);
        EXPECT_EQ(filter(name, {kSupervisor}), Errno(EPERM)) << name;
        EXPECT_EQ(filter(name, {kSupervisor | kHighHalf}), Errno(EPERM)) << name;
        EXPECT_EQ(filter(name, {group}), Errno(EPERM)) << name;
        EXPECT_EQ(filter(name, {UINT32_MAX}), Errno(EPERM)) << name;
        EXPECT_EQ(filter(name, {kSelf}), kAllow) << name;
        EXPECT_EQ(filter(name, {0}), kAllow) << name;
      }
      EXPECT_EQ(filter("pidfd_send_signal"), Errno(ENOSYS));
      EXPECT_EQ(filter("setpriority"), Errno(EPERM));
      EXPECT_EQ(filter("fcntl", {0, 10 /* F_SETSIG */}), Errno(EPERM));
    }
  }
}

TEST_P(FilterTest, OneProcessThatKnowsItsPidReachesNobodyAtLevel1) {
  const uint64_t other = 999;
  for (const char* name :
       {"kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open", "sched_setaffinity"}) {
    EXPECT_EQ(Alone(1)(name, {other}), Errno(EPERM)) << name;
    EXPECT_EQ(Alone(1)(name, {static_cast<uint32_t>(-kSelf)}), kAllow) << name;
    EXPECT_EQ(Several(1)(name, {other}), kAllow) << name << ": children must be told to end";
    EXPECT_EQ(Make({1, 1, 0, kSupervisor, 0})(name, {other}), kAllow) << name << ": nobody can be told from itself";
    EXPECT_EQ(Alone(0)(name, {other}), kAllow) << name;
  }
  for (const Filter& filter : {Alone(1), Several(1)}) EXPECT_EQ(filter("prlimit64", {other}), Errno(EPERM));
}

TEST_P(FilterTest, DescriptorsAndProcessesStayVisible) {
  for (int level : {0, 1}) {
    const Filter filter = Alone(level);
    EXPECT_EQ(filter("close_range", {3, UINT32_MAX, 0}), kAllow);
    EXPECT_EQ(filter("close_range", {3, UINT32_MAX, 2}), Errno(EPERM));
    EXPECT_EQ(filter("close_range", {3, UINT32_MAX, 6}), Errno(EPERM));
    EXPECT_EQ(filter("prctl", {PR_SET_DUMPABLE, 0}), Errno(EPERM));
    EXPECT_EQ(filter("prctl", {PR_SET_DUMPABLE | kHighHalf, 0}), Errno(EPERM));
    EXPECT_EQ(filter("prctl", {PR_GET_DUMPABLE}), kAllow);
    EXPECT_EQ(filter("prctl", {PR_SET_NAME}), kAllow);
  }
}

TEST_P(FilterTest, Level1NamesWhatIsLeftOfPrctlFcntlAndIoctl) {
  const Filter filter = Alone(1);
  EXPECT_EQ(filter("prctl", {PR_SET_PDEATHSIG, SIGKILL}), kAllow);
  EXPECT_EQ(filter("prctl", {PR_SET_PDEATHSIG, 0}), Errno(EPERM)) << "would outlive its supervisor";
  EXPECT_EQ(filter("prctl", {PR_SET_PDEATHSIG, SIGCONT}), Errno(EPERM));
  EXPECT_EQ(filter("prctl", {PR_SET_SECCOMP, 2}), Errno(EPERM));
  EXPECT_EQ(filter("prctl", {0x59616d61 /* PR_SET_PTRACER */}), Errno(EPERM));
  EXPECT_EQ(filter("prctl", {PR_SET_MM}), Errno(EINVAL));
  EXPECT_EQ(filter("prctl", {PR_SET_CHILD_SUBREAPER, 1}), Errno(EINVAL));
  for (uint64_t command : {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, 37, 38}) {
    EXPECT_EQ(filter("fcntl", {0, command}), kAllow) << command;
  }
  for (uint64_t command : {8 /* F_SETOWN */, 10 /* F_SETSIG */, 15 /* F_SETOWN_EX */, 1024 /* F_SETLEASE */,
                           1026 /* F_NOTIFY */, 1031 /* F_SETPIPE_SZ */, 5000}) {
    EXPECT_EQ(filter("fcntl", {0, command}), Errno(EPERM)) << command;
    EXPECT_EQ(filter("fcntl", {0, command | kHighHalf}), Errno(EPERM)) << command;
  }
  for (uint64_t request : {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX}) {
    EXPECT_EQ(filter("ioctl", {0, request}), kAllow) << std::hex << request;
  }
  EXPECT_EQ(filter("ioctl", {0, TIOCSTI}), Errno(EPERM));
  EXPECT_EQ(filter("ioctl", {0, TIOCSTI | kHighHalf}), Errno(EPERM));
  EXPECT_EQ(filter("ioctl", {0, 0x541c /* TIOCLINUX */}), Errno(EPERM));
  EXPECT_EQ(filter("ioctl", {0, 0x5412u ^ 0x8000u}), Errno(ENOTTY));
  EXPECT_EQ(filter("ioctl", {0, 0x8901 /* FIOSETOWN */}), Errno(ENOTTY));
  EXPECT_EQ(filter("personality", {UINT32_MAX}), kAllow);
  EXPECT_EQ(filter("personality", {0x0040000 /* ADDR_NO_RANDOMIZE */}), Errno(EPERM));
}

TEST_P(FilterTest, Level1RefusesWhatIsDangerousWithAnError) {
  const Filter filter = Several(1);
  std::istringstream refused(
      "ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp keyctl add_key request_key bpf perf_event_open userfaultfd "
      "mount "
      "fsconfig fspick open_tree_attr unshare setns kexec_load init_module finit_module delete_module swapon swapoff reboot "
      "acct "
      "quotactl quotactl_fd vhangup seccomp move_pages migrate_pages process_madvise open_by_handle_at syslog clock_settime");
  for (std::string name; refused >> name;) EXPECT_EQ(filter(name), Errno(EPERM)) << name;
  if (GetParam() == FILTER_X86_64) {
    for (const char* name : {"iopl", "ioperm", "modify_ldt", "uselib"}) EXPECT_EQ(filter(name), Errno(EPERM)) << name;
  }
  for (const char* name : {"io_uring_setup", "io_uring_enter", "io_uring_register", "memfd_create", "landlock_add_rule"}) {
    EXPECT_EQ(filter(name), Errno(ENOSYS)) << name;
  }
}

TEST_P(FilterTest, AConfiningParentKeepsTheMeansToConfineAndNoMore) {
  for (int level : {0, 1}) {
    const Filter parent = Make({level, 0, kSelf, kSupervisor, 1});
    const Filter program = Make({level, 0, kSelf, kSupervisor, 0});
    for (const char* name : {"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "unshare", "seccomp"}) {
      EXPECT_EQ(parent(name), kAllow) << name;
    }
    EXPECT_EQ(parent("prctl", {PR_SET_SECCOMP, 2}), kAllow);
    EXPECT_EQ(parent("prctl", {PR_SET_DUMPABLE, 0}), Errno(EPERM));
    EXPECT_EQ(parent("kill", {kSupervisor}), Errno(EPERM));
    std::set<std::string> differing;
    for (const filter_call& call : Calls()) {
      if (call.number[GetParam()] >= 0 && parent(call.name) != program(call.name)) differing.insert(call.name);
    }
    EXPECT_LE(differing.size(), 5u);
  }
}

}  // namespace
}  // namespace conclave
