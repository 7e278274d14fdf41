// A host to be killed, or started in a bad state: abuse_host MODE PROGRAM TEMPORARY_FOLDER NAME. Exits with 0 when all was as
// it should be; a bare host has no output to say more on.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include "lib/sandbox/process_sandbox.h"

namespace conclave {
namespace {

struct Arguments {
  std::string mode;
  std::string program;
  std::string folder;
  std::string name;
};

SandboxRequest RequestFor(const Arguments& arguments) {
  SandboxRequest request;
  request.executable = ::open(arguments.program.c_str(), O_RDONLY | O_CLOEXEC);
  request.arguments = {arguments.name};
  return request;
}

// Waits in a run that does not end; with "forked", a copy of this process keeps its descriptors open after its death.
int RunForever(const Arguments& arguments, const Sandbox& sandbox) {
  std::thread run([&] { sandbox.Run(RequestFor(arguments), Cancellation()).IgnoreError(); });
  if (arguments.mode == "forked") {
    ::sleep(1);
    if (::fork() == 0) {
      ::sleep(180);
      ::_exit(0);
    }
  }
  run.join();
  return 1;
}

// No standard streams, few descriptors, some of them leaking, all signals blocked, children reaped by the kernel.
int RunBare(const Arguments& arguments) {
  for (int fd = 0; fd < 3; ++fd) ::close(fd);
  if (::open("/etc/passwd", O_RDONLY) != 0 || ::dup2(0, 11) != 11) return 2;
  const rlimit few = {48, 48};
  if (::setrlimit(RLIMIT_NOFILE, &few) != 0) return 3;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  for (const int number : {SIGCHLD, SIGPIPE, SIGTERM, SIGUSR1}) std::signal(number, SIG_IGN);

  absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox({.temporary_folder = arguments.folder});
  if (!sandbox.ok()) return 4;
  const absl::StatusOr<SandboxCapabilities> probe = (*sandbox)->Probe();
  if (!probe.ok()) return 5;
  SandboxRequest request = RequestFor(arguments);
  request.descriptors = {{0, 0}, {11, 4}};
  request.limits.descriptors = 40;
  for (int i = 0; i < 20; ++i) {
    absl::StatusOr<SandboxResult> result = (*sandbox)->Run(request, Cancellation());
    if (!result.ok()) return 5;
    if (result->end_reason != v1::OK || result->isolation_level != probe->isolation_level) return 6;
    const std::string seen = result->standard_output.head();
    if (seen != "0 1 2 4 " && seen != "blocked 0 ignored 0 session 1 umask 77 variables 2") return 7;
  }
  return 0;
}

// Refuses a part of the kernel to this process and all that it starts, as an older kernel, AppArmor or a container would.
bool RefuseFromNowOn(bool landlock) {
  sock_filter without_landlock[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_filter without_namespaces[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER, 0, 2),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = landlock ? sock_fprog{std::size(without_landlock), without_landlock}
                                      : sock_fprog{std::size(without_namespaces), without_namespaces};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// With a layer refused by the machine: who requires its level gets no run and hears why; who only prefers it gets a run one
// level below, and hears why, too.
int RunWithout(const Arguments& arguments) {
  const bool landlock = arguments.mode == "without-landlock";
  const int level = landlock ? 1 : 2;
  const std::string layer = landlock ? "path_filter" : "user_namespace";
  if (!RefuseFromNowOn(landlock)) return 2;
  absl::StatusOr<std::unique_ptr<Sandbox>> requires_it =
      CreateProcessSandbox({.temporary_folder = arguments.folder, .isolation = {level, level}});
  absl::StatusOr<std::unique_ptr<Sandbox>> prefers_it =
      CreateProcessSandbox({.temporary_folder = arguments.folder, .isolation = {level - 1, level}});
  if (!requires_it.ok() || !prefers_it.ok()) return 3;
  const absl::Status refusal = (*requires_it)->Run(RequestFor(arguments), Cancellation()).status();
  std::cerr << refusal << "\n";
  if (!absl::IsFailedPrecondition(refusal) || refusal.message().find(layer) == std::string::npos) return 4;
  const absl::StatusOr<SandboxResult> run = (*prefers_it)->Run(RequestFor(arguments), Cancellation());
  if (!run.ok() || run->end_reason != v1::OK || run->isolation_level != level - 1) return 5;
  const auto missing = [&](const v1::LayerState& state) {
    if (state.name() == layer) std::cerr << state.detail() << "\n";
    return state.name() == layer && !state.achieved() && !state.detail().empty();
  };
  return std::any_of(run->layers.begin(), run->layers.end(), missing) ? 0 : 6;
}

int Main(const Arguments& arguments) {
  if (arguments.mode == "bare") return RunBare(arguments);
  if (arguments.mode.starts_with("without-")) return RunWithout(arguments);
  absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox({.temporary_folder = arguments.folder});
  return sandbox.ok() ? RunForever(arguments, **sandbox) : 4;
}

}  // namespace
}  // namespace conclave

int main(int count, char** arguments) {
  if (count != 5) return 64;
  return conclave::Main({arguments[1], arguments[2], arguments[3], arguments[4]});
}
