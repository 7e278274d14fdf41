// A host to be killed, or started in a bad state: abuse_host MODE PROGRAM TEMPORARY_FOLDER NAME. Exits with 0 when all was as
// it should be; a bare host has no output to say more on.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
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
  SandboxRequest request = RequestFor(arguments);
  request.descriptors = {{0, 0}, {11, 4}};
  request.limits.descriptors = 40;
  for (int i = 0; i < 20; ++i) {
    absl::StatusOr<SandboxResult> result = (*sandbox)->Run(request, Cancellation());
    if (!result.ok()) return 5;
    if (result->end_reason != v1::OK || result->isolation_level != 0) return 6;
    const std::string seen = result->standard_output.head();
    if (seen != "0 1 2 4 " && seen != "blocked 0 ignored 0 session 1 umask 77 variables 2") return 7;
  }
  return 0;
}

int Main(const Arguments& arguments) {
  if (arguments.mode == "bare") return RunBare(arguments);
  absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox({.temporary_folder = arguments.folder});
  return sandbox.ok() ? RunForever(arguments, **sandbox) : 4;
}

}  // namespace
}  // namespace conclave

int main(int count, char** arguments) {
  if (count != 5) return 64;
  return conclave::Main({arguments[1], arguments[2], arguments[3], arguments[4]});
}
