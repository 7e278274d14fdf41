/* What the locked child tries before it becomes the program: each layer is claimed only if the kernel said no. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/guest/supervisor/folder_entries.h"
#include "lib/guest/supervisor/init.h"
#include "lib/guest/supervisor/kernel.h"
#include "lib/guest/supervisor/lock.h"
#include "lib/guest/supervisor/rlimits.h"

#define SAY(...) snprintf(detail, sizeof(((struct layer_proof*)0)->detail), __VA_ARGS__)

/* The value of a line of /proc/self/status such as "CapEff:", read as a number of `base`. */
static int status_value(const char* status, const char* name, int base, unsigned long long* out) {
  const char* const line = strstr(status, name);
  if (line == NULL) return 0;
  *out = strtoull(line + strlen(name), NULL, base);
  return 1;
}

static int read_status(char* out, size_t size) {
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const ssize_t count = read(file, out, size - 1);
  const int error = count < 0 ? errno : 0;
  close(file);
  out[count < 0 ? 0 : count] = '\0';
  return error;
}

static int prove_no_new_privs(const struct lock* lock, const char* status, char* detail) {
  (void)lock;
  unsigned long long value = 0;
  const int held =
      status_value(status, "\nNoNewPrivs:", 10, &value) && value == 1 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
  SAY("/proc/self/status: NoNewPrivs %llu", value);
  return held ? 0 : EPERM;
}

static int prove_no_capabilities(const struct lock* lock, const char* status, char* detail) {
  unsigned long long effective = ~0ull, permitted = ~0ull, inheritable = ~0ull, bounding = ~0ull, ambient = 0;
  if (!status_value(status, "\nCapEff:", 16, &effective) || !status_value(status, "\nCapPrm:", 16, &permitted) ||
      !status_value(status, "\nCapInh:", 16, &inheritable) || !status_value(status, "\nCapBnd:", 16, &bounding)) {
    SAY("/proc/self/status has no Cap lines");
    return ENOSYS;
  }
  status_value(status, "\nCapAmb:", 16, &ambient);
  /* In a user namespace of its own the program would have them all again. Should this succeed the run ends here. */
  if (syscall(SYS_unshare, CLONE_NEWUSER) == 0) {
    SAY("unshare(CLONE_NEWUSER) succeeded: all capabilities, in a user namespace of its own");
    return EPERM;
  }
  const char* const refused = strerror(errno);
  const char* const note = bounding == 0 ? "" : " (an ordinary user cannot drop it; inert)";
  SAY("CapEff %llx, CapPrm %llx, CapInh %llx, CapAmb %llx, CapBnd %llx%s; unshare(CLONE_NEWUSER): %s", effective, permitted,
      inheritable, ambient, bounding, note, refused);
  const int bounding_held = bounding == 0 || !lock->changes_uid;
  return (effective | permitted | inheritable | ambient) == 0 && bounding_held ? 0 : EPERM;
}

static int prove_uid(const struct lock* lock, const char* status, char* detail) {
  (void)status;
  if (!lock->changes_uid) {
    SAY("uid %u, the host's own: an ordinary user", (unsigned)getuid());
    return getuid() == geteuid() && geteuid() == lock->uid ? 0 : EPERM;
  }
  const int result = (int)syscall(SYS_setresuid, 0, 0, 0);
  const int error = errno;
  if (result == 0) {
    SAY("setuid(0) succeeded");
    return EPERM;
  }
  const int groups = getgroups(0, NULL);
  if (groups != 0 || getgid() != lock->gid || getegid() != lock->gid) {
    SAY("gid %u with %d supplementary groups is left from the host", (unsigned)getgid(), groups);
    return EPERM;
  }
  SAY("setuid(0): %s; uid %u%s", strerror(error), (unsigned)getuid(),
      lock->uid_is_private ? ", this run's alone" : ", shared by runs: this user namespace maps no private range");
  /* A user namespace that maps the run's uid alone does not even know root. */
  return (error == EPERM || error == EINVAL) && getuid() == lock->uid && geteuid() == lock->uid ? 0 : EPERM;
}

static int is_granted(const struct policy* policy, int fd) {
  for (uint32_t i = 0; i < policy->limits.grants; ++i) {
    if (policy->grant_target[i] == fd) return 1;
  }
  return 0;
}

static int prove_descriptors(const struct lock* lock, const char* status, char* detail) {
  (void)status;
  const int open_descriptors = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (open_descriptors < 0) {
    SAY("/proc/self/fd: %s", strerror(errno));
    return errno;
  }
  int extra = -1;
  int count = 0;
  char buffer[1024] __attribute__((aligned(8)));
  long got;
  while ((got = folder_entries_read(open_descriptors, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < got;) {
      const struct folder_entry* const entry = folder_entries_next(buffer, &at);
      if (entry->name[0] == '.') continue;
      const int fd = atoi(entry->name);
      if (fd == open_descriptors || (lock->executable >= 0 && fd == lock->executable)) continue;
      if (is_granted(lock->policy, fd)) {
        ++count;
      } else {
        extra = fd;
      }
    }
  }
  close(open_descriptors);
  if (extra >= 0) {
    SAY("/proc/self/fd: descriptor %d was not granted", extra);
    return EPERM;
  }
  /* The number of the line to the host: the one inherited descriptor that would be worth having. */
  const int channel = fcntl(CHANNEL, F_GETFD);
  const int error = errno;
  if (!is_granted(lock->policy, CHANNEL) && lock->executable != CHANNEL && (channel >= 0 || error != EBADF)) {
    SAY("descriptor %d is still open", CHANNEL);
    return EPERM;
  }
  SAY("/proc/self/fd: %d descriptors, all granted%s", count, channel < 0 ? "; the supervisor's own number: EBADF" : "");
  return count == (int)lock->policy->limits.grants ? 0 : EBADF;
}

static int prove_environment(const struct lock* lock, const char* status, char* detail) {
  (void)status;
  int inherited = 0;
  for (char** at = environ; at != NULL && *at != NULL; ++at) ++inherited;
  int given = 0;
  for (char* const* at = lock->policy->environment; *at != NULL; ++at) ++given;
  SAY("%d variables inherited, %d given", inherited, given);
  return inherited == 0 && given == (int)lock->policy->limits.environment ? 0 : EPERM;
}

/* Tries to start a process. A child that should not exist ends at once; EAGAIN is what the filter says. */
static int prove_filter(const struct lock* lock, char* detail) {
  if (lock->filter_error != 0) {
    SAY("watchdog only: seccomp filter: %s", strerror(lock->filter_error));
    return lock->filter_error;
  }
  const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  if (child > 0) {
    waitpid((pid_t)child, NULL, 0);
    SAY("clone succeeded in spite of the filter");
    return EPERM;
  }
  SAY("clone of a second process: %s", strerror(errno));
  return errno == EAGAIN ? 0 : EPERM;
}

static int prove_process_limit(const struct lock* lock, const char* status, char* detail) {
  (void)status;
  if (lock->policy->limits.processes == 1) return prove_filter(lock, detail);
  if (!lock->uid_is_private && lock->level < 2) {
    SAY("watchdog only: RLIMIT_NPROC would count the uid's other processes");
    return ENOTSUP;
  }
  struct rlimit tasks;
  const int held = getrlimit(RLIMIT_NPROC, &tasks) == 0 && tasks.rlim_cur <= (rlim_t)lock->policy->limits.threads + 1;
  SAY("getrlimit(NPROC): %lu tasks for a uid that is counted for this run alone; watchdog for the number of processes",
      (unsigned long)tasks.rlim_cur);
  return held ? 0 : EPERM;
}

static int prove_rlimits(const struct lock* lock, const char* status, char* detail) {
  (void)status;
  return rlimits_prove(lock, detail, sizeof(((struct layer_proof*)0)->detail));
}

/* A call that no program needs for its sums, and that every list of allowed calls must leave out. */
static int prove_syscall_filter(const struct lock* lock, const char* status, char* detail) {
  (void)lock;
  unsigned long long mode = 0;
  const int listed = status_value(status, "\nSeccomp:", 10, &mode);
  const long other = syscall(SYS_socket, 1, 1, 0);
  const int error = errno;
  if (other >= 0) close((int)other);
  SAY("/proc/self/status: Seccomp %llu; socket(AF_UNIX): %s", mode, other >= 0 ? "succeeded" : strerror(error));
  return (!listed || mode == 2) && other < 0 && (error == EACCES || error == EPERM || error == ENOSYS) ? 0 : EPERM;
}

static int prove_path_filter(const struct lock* lock, const char* status, char* detail) {
  (void)status;
  const int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int root_error = errno;
  const int users = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
  const int users_error = errno;
  if (root >= 0) close(root);
  if (users >= 0) close(users);
  SAY("Landlock version %d; open(/): %s; open(/etc/passwd): %s", lock->landlock_abi,
      root >= 0 ? "succeeded" : strerror(root_error), users >= 0 ? "succeeded" : strerror(users_error));
  return root < 0 && root_error == EACCES && users < 0 ? 0 : EPERM;
}

/* Whether this process is in another namespace than the supervisor. Both numbers come from the kernel. */
static int prove_namespace(const struct lock* lock, int which, const char* name, char* detail) {
  const unsigned long long here = namespace_look(which);
  SAY("%s namespace %llu, the supervisor's is %llu", name, here, lock->outside->namespaces[which]);
  return here != 0 && here != lock->outside->namespaces[which] ? 0 : EPERM;
}

static int prove_user_namespace(const struct lock* lock, const char* status, char* detail) {
  (void)status;
  return prove_namespace(lock, NAMESPACE_USER, "user", detail);
}

/* The supervisor started the init, so only in a namespace of its own can that be the first process. */
static int prove_process_namespace(const struct lock* lock, const char* status, char* detail) {
  (void)lock;
  (void)status;
  const int parent = (int)getppid();
  SAY("getppid: %d; getpid: %d", parent, (int)syscall(SYS_getpid));
  return parent == 1 ? 0 : EPERM;
}

static int prove_ipc_namespace(const struct lock* lock, const char* status, char* detail) {
  (void)status;
  return prove_namespace(lock, NAMESPACE_IPC, "IPC", detail);
}

static int prove_mount_namespace(const struct lock* lock, const char* status, char* detail) {
  (void)status;
  struct stat root;
  if (stat("/", &root) != 0) {
    SAY("stat(/): %s", strerror(errno));
    return errno;
  }
  const int same = (unsigned long long)root.st_dev == lock->outside->root_device &&
                   (unsigned long long)root.st_ino == lock->outside->root_inode;
  SAY("/ is %s", same ? "the machine's own" : "a file system of the run's own");
  return !same ? 0 : EPERM;
}

static int prove_network_namespace(const struct lock* lock, const char* status, char* detail) {
  (void)status;
  return prove_namespace(lock, NAMESPACE_NETWORK, "network", detail);
}

static const struct {
  enum conclave_layer layer;
  int level;
  int required; /* for its level */
  int (*prove)(const struct lock*, const char* status, char* detail);
} kCanaries[] = {
    {CONCLAVE_LAYER_RLIMITS, 0, 1, prove_rlimits},
    {CONCLAVE_LAYER_NO_NEW_PRIVS, 0, 1, prove_no_new_privs},
    {CONCLAVE_LAYER_NO_CAPABILITIES, 0, 1, prove_no_capabilities},
    {CONCLAVE_LAYER_UNPRIVILEGED_UID, 0, 1, prove_uid},
    {CONCLAVE_LAYER_DESCRIPTORS_CLOSED, 0, 1, prove_descriptors},
    {CONCLAVE_LAYER_ENVIRONMENT_CLEAN, 0, 1, prove_environment},
    {CONCLAVE_LAYER_PROCESS_LIMIT, 0, 0, prove_process_limit},
    {CONCLAVE_LAYER_SYSCALL_FILTER, 1, 1, prove_syscall_filter},
    {CONCLAVE_LAYER_PATH_FILTER, 1, 1, prove_path_filter},
    {CONCLAVE_LAYER_USER_NAMESPACE, 2, 1, prove_user_namespace},
    {CONCLAVE_LAYER_PROCESS_NAMESPACE, 2, 1, prove_process_namespace},
    {CONCLAVE_LAYER_IPC_NAMESPACE, 2, 1, prove_ipc_namespace},
    {CONCLAVE_LAYER_MOUNT_NAMESPACE, 2, 1, prove_mount_namespace},
    {CONCLAVE_LAYER_NETWORK_NAMESPACE, 3, 1, prove_network_namespace},
};

int lock_prove(struct lock* lock) {
  char status[4096];
  int error = read_status(status, sizeof status);
  if (error != 0) {
    lock->what = "/proc/self/status";
    return error;
  }
  for (size_t i = 0; i < sizeof kCanaries / sizeof kCanaries[0]; ++i) {
    if (kCanaries[i].level > lock->level) continue;
    struct layer_proof* const proof = &lock->proofs[kCanaries[i].layer];
    proof->error = kCanaries[i].prove(lock, status, proof->detail);
    if (proof->error != 0 && kCanaries[i].required && error == 0) {
      snprintf(lock->what_buffer, sizeof lock->what_buffer, "%s", proof->detail);
      lock->what = lock->what_buffer;
      lock->failed_level = kCanaries[i].level;
      error = EPERM;
    }
  }
  return error;
}
