#include "lib/sandbox/spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/sandbox/policy.h"
#include "lib/sandbox/wire.h"

namespace conclave {
namespace {

// Where the supervisor finds its line to the host, and where posix_spawn finds the supervisor.
constexpr int kChannelNumber = 3;
constexpr int kImageNumber = 4;
constexpr int kFirstFreeNumber = 5;

#ifndef PIDFD_SIGNAL_PROCESS_GROUP
#define PIDFD_SIGNAL_PROCESS_GROUP (1u << 2)  // since Linux 6.9
#endif
constexpr int64_t kDyingNs = 1'000'000'000;

struct Pipe {
  Descriptor read;
  Descriptor write;
};

absl::StatusOr<Pipe> MakePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return ErrnoStatus(errno, "pipe");
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  // Only our end: the flag belongs to each end by itself, and programs expect to block.
  if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return ErrnoStatus(errno, "fcntl");
  return pipe;
}

// Moves a descriptor away from the numbers that the spawn itself fills; a host may have closed its own 0 to 2.
absl::StatusOr<Descriptor> AboveFixedNumbers(int fd) {
  Descriptor moved(::fcntl(fd, F_DUPFD_CLOEXEC, kFirstFreeNumber));
  if (!moved.valid()) return ErrnoStatus(errno, "fcntl(F_DUPFD_CLOEXEC)");
  return moved;
}

struct SpawnSettings {
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

absl::Status SpawnFailure(int error) {
  if (error == EAGAIN || error == ENOMEM) {
    return absl::ResourceExhaustedError(
        absl::StrCat("starting the supervisor: ", std::strerror(error), "; the host is at its limit of processes or memory"));
  }
  return absl::UnavailableError(absl::StrCat(
      "starting the supervisor: posix_spawn: ", std::strerror(error),
      error == EPERM ? "; the host forbids process creation (a seccomp filter on clone3 or execve)"
      : error == EACCES
          ? "; the embedded supervisor may not be executed from memory (vm.memfd_noexec), or its file not where it is: put "
            "conclave-supervisor beside the guest programs, on a file system that allows it"
      : error == ENOENT ? "; /proc must be mounted"
                        : ""));
}

// Signals of the host are its own: the supervisor starts with none blocked, none ignored, in a session of its own.
absl::StatusOr<pid_t> StartSupervisor(int channel, int image, std::vector<std::string> words = {}) {
  SpawnSettings settings;
  int error = posix_spawn_file_actions_adddup2(&settings.actions, channel, kChannelNumber);
  if (error == 0) error = posix_spawn_file_actions_adddup2(&settings.actions, image, kImageNumber);
  for (int fd = 0; fd <= 2 && error == 0; ++fd) {
    error = posix_spawn_file_actions_addopen(&settings.actions, fd, "/dev/null", fd == 0 ? O_RDONLY : O_WRONLY, 0);
  }
  if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&settings.actions, kFirstFreeNumber);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  if (error == 0) error = posix_spawnattr_setsigmask(&settings.attributes, &none);
  if (error == 0) error = posix_spawnattr_setsigdefault(&settings.attributes, &all);
  if (error == 0) {
    error = posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  }
  words.insert(words.begin(), "conclave-supervisor");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  char* const environment[] = {nullptr};
  pid_t pid = -1;
  if (error == 0) {
    const std::string path = absl::StrCat("/proc/self/fd/", kImageNumber);
    error = ::posix_spawn(&pid, path.c_str(), &settings.actions, &settings.attributes, arguments.data(), environment);
  }
  if (error != 0) return SpawnFailure(error);
  return pid;
}

// Sends the policy's beginning with the descriptors on it; returns how many bytes went out.
absl::StatusOr<size_t> SendPolicy(int channel, std::string_view policy, const std::vector<int>& descriptors) {
  std::vector<char> control(CMSG_SPACE(descriptors.size() * sizeof(int)), 0);
  iovec part = {const_cast<char*>(policy.data()), policy.size()};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
  std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size() * sizeof(int));
  while (true) {
    const ssize_t sent = ::sendmsg(channel, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) return static_cast<size_t>(sent);
    if (errno != EINTR) return ErrnoStatus(errno, "sending the policy to the supervisor");
  }
}

int64_t SizeOfFiles(const std::vector<DescriptorGrant>& grants) {
  int64_t bytes = 0;
  for (const DescriptorGrant& grant : grants) {
    struct stat status = {};
    // Sparse giants would raise the limit without bound; nobody maps more than this.
    if (::fstat(grant.host, &status) == 0 && S_ISREG(status.st_mode)) bytes += std::min<int64_t>(status.st_size, 1LL << 42);
  }
  return bytes;
}

}  // namespace

int64_t MonotonicNanoseconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

absl::StatusOr<SpawnedRun> Spawn(const SpawnContext& context, const SandboxRequest& request) {
  SpawnedRun run;
  run.begun_ns = MonotonicNanoseconds();
  run.mapped_bytes = SizeOfFiles(request.descriptors);

  absl::StatusOr<Pipe> output = MakePipe();
  if (!output.ok()) return output.status();
  absl::StatusOr<Pipe> error = MakePipe();
  if (!error.ok()) return error.status();
  absl::StatusOr<Pipe> result = request.result_bytes > 0 ? MakePipe() : Pipe();
  if (!result.ok()) return result.status();

  // First the fixed ones, then each grant at its target.
  std::vector<int> descriptors = {context.folder.descriptor()};
  if (request.executable >= 0) descriptors.push_back(request.executable);
  std::vector<int> targets;
  const auto grant = [&](int host, int guest) {
    descriptors.push_back(host);
    targets.push_back(guest);
  };
  grant(output->write.get(), 1);
  grant(error->write.get(), 2);
  if (request.result_bytes > 0) grant(result->write.get(), request.result_descriptor);
  bool has_input = false;
  for (const DescriptorGrant& granted : request.descriptors) {
    grant(granted.host, granted.guest);
    has_input = has_input || granted.guest == 0;
  }
  Descriptor null;
  if (!has_input) {
    null = Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!null.valid()) return ErrnoStatus(errno, "opening /dev/null");
    grant(null.get(), 0);
  }

  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return ErrnoStatus(errno, "socketpair");
  run.channel = Descriptor(ends[0]);
  const Descriptor far_end(ends[1]);
  if (::fcntl(run.channel.get(), F_SETFL, O_NONBLOCK) != 0) return ErrnoStatus(errno, "fcntl");
  absl::StatusOr<Descriptor> channel = AboveFixedNumbers(far_end.get());
  if (!channel.ok()) return channel.status();
  absl::StatusOr<Descriptor> program = AboveFixedNumbers(context.image.descriptor());
  if (!program.ok()) return program.status();

  // The policy waits in the channel when the supervisor starts.
  ReadablePaths readable = context.readable;
  readable.paths.insert(readable.paths.end(), request.readable.begin(), request.readable.end());
  if (request.executable < 0) readable.paths.push_back(request.arguments[0]);
  std::string policy = EncodePolicy(request, {.folder = context.folder.path(),
                                              .targets = std::move(targets),
                                              .mapped_bytes = run.mapped_bytes,
                                              .isolation = context.isolation,
                                              .readable = std::move(readable),
                                              .now = absl::Now(),
                                              .monotonic_ns = run.begun_ns});
  absl::StatusOr<size_t> sent = SendPolicy(run.channel.get(), policy, descriptors);
  if (!sent.ok()) return sent.status();
  run.unsent = policy.substr(*sent);

  absl::StatusOr<pid_t> pid = StartSupervisor(channel->get(), program->get());
  if (!pid.ok()) return pid.status();
  run.pid = *pid;
  run.process = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, run.pid, 0)));
  run.standard_output = std::move(output->read);
  run.standard_error = std::move(error->read);
  run.result = std::move(result->read);
  return run;
}

absl::Status SpawnRemover(const SupervisorImage& image, const PrivateFolder& folder) {
  absl::StatusOr<Descriptor> channel = AboveFixedNumbers(folder.descriptor());
  if (!channel.ok()) return channel.status();
  absl::StatusOr<Descriptor> program = AboveFixedNumbers(image.descriptor());
  if (!program.ok()) return program.status();
  absl::StatusOr<pid_t> pid = StartSupervisor(channel->get(), program->get(), {"--remove", folder.path()});
  if (!pid.ok()) return pid.status();
  // It leaves the work to a process of its own and ends at once. A host that ignores SIGCHLD, or reaps any child, has no status
  // for us; then nothing is known to be wrong.
  int status = 0;
  pid_t waited = -1;
  while ((waited = ::waitpid(*pid, &status, 0)) < 0 && errno == EINTR) {}
  if (waited == *pid && status != 0) return absl::UnavailableError("a process that removes it could not be started");
  return absl::OkStatus();
}

namespace {

// Ends the process and takes its status. False where pidfds are known but in part: by an old kernel, or a filter of the host's.
bool ReapByPidfd(int process) {
  if (::syscall(SYS_pidfd_send_signal, process, SIGKILL, nullptr, 0) != 0 && errno != ESRCH) return false;
  siginfo_t ignored;
  int waited = -1;
  do {
    waited = ::waitid(static_cast<idtype_t>(P_PIDFD), static_cast<id_t>(process), &ignored, WEXITED);
  } while (waited != 0 && errno == EINTR);
  return waited == 0 || errno == ECHILD;  // or somebody else in the host took it
}

}  // namespace

void Reap(const SpawnedRun& run) {
  // A pidfd cannot come to mean another process, whoever else reaps children here.
  if (run.process.valid() && ReapByPidfd(run.process.get())) return;
  ::kill(run.pid, SIGKILL);
  while (::waitpid(run.pid, nullptr, 0) < 0 && errno == EINTR) {}
}

namespace {

// The process that `pidfd` is of; 0 when it has been reaped.
pid_t ProcessOf(int pidfd) {
  std::ifstream lines(absl::StrCat("/proc/self/fdinfo/", pidfd));
  for (std::string line; std::getline(lines, line);) {
    int pid = 0;
    if (std::sscanf(line.c_str(), "Pid: %d", &pid) == 1) return std::max(pid, 0);
  }
  return 0;
}

}  // namespace

void EndProgram(const SpawnedRun& run) {
  if (!run.program.valid()) return;
  // Signalled until nothing is left to signal. Whoever inherited the program reaps it, so the wait has a bound. A kernel before
  // 6.9 knows no group here: there the group goes by the number that the program has as long as nobody has reaped it.
  for (const int64_t end = MonotonicNanoseconds() + kDyingNs; MonotonicNanoseconds() < end;) {
    bool group = true;
    if (::syscall(SYS_pidfd_send_signal, run.program.get(), SIGKILL, nullptr, PIDFD_SIGNAL_PROCESS_GROUP) != 0) {
      if (errno != EINVAL) return;
      group = false;
      if (const pid_t leader = ProcessOf(run.program.get()); leader > 0) ::kill(-leader, SIGKILL);
      ::syscall(SYS_pidfd_send_signal, run.program.get(), SIGKILL, nullptr, 0);
    }
    pollfd death = {run.program.get(), POLLIN, 0};
    if (::poll(&death, 1, 1) > 0) {
      if (!group) return;
      ::poll(nullptr, 0, 1);
    }
  }
}

}  // namespace conclave
