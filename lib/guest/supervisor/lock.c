#include "lib/guest/supervisor/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/guest/supervisor/filter_install.h"
#include "lib/guest/supervisor/init.h"
#include "lib/guest/supervisor/kernel.h"
#include "lib/guest/supervisor/path_filter.h"
#include "lib/guest/supervisor/prefault.h"
#include "lib/guest/supervisor/report.h"
#include "lib/guest/supervisor/rlimits.h"

enum { LAST_CAPABILITY = 63, NOBODY = 65534, FIRST_PRIVATE_UID = 0x70000000 };

static int start_session(struct lock* lock) {
  (void)lock;
  umask(077);
  return setsid() >= 0 ? 0 : errno;
}

/* Before the program can do anything: the host must be able to end it should the supervisor be lost. */
static int announce(struct lock* lock) {
  if (lock->level >= 2) return 0; /* the supervisor announced the init */
  const int self = (int)syscall(SYS_pidfd_open, syscall(SYS_getpid), 0);
  if (self < 0) return errno == ENOSYS || errno == EPERM ? 0 : errno; /* an old kernel, or the host's filter */
  const int error = report_program(self);
  close(self);
  return error;
}

/* If memory runs out on the machine, the kernel should end the run and not the host. Best effort. */
static void volunteer_for_out_of_memory(void) {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  if (write(file, "1000", 4) != 4) { /* the limits hold without it */
  }
  close(file);
}

static int apply_rlimits(struct lock* lock) {
  volunteer_for_out_of_memory();
  return rlimits_apply(lock);
}

/* In a file tree of its own the init is there already, by path. */
static int enter_folder(struct lock* lock) {
  if (lock->level >= 2) return 0;
  return fchdir(lock->policy->folder) == 0 ? 0 : errno;
}

static void close_descriptors(unsigned first, unsigned last) {
  if (first > last || syscall(SYS_close_range, first, last, 0) == 0) return;
  struct rlimit limit;
  const unsigned end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max < 65536 ? (unsigned)limit.rlim_max : 65536;
  for (unsigned fd = first; fd <= last && fd < end; ++fd) close((int)fd);
}

/* Puts the granted descriptors at their numbers and closes all others. The child has its own descriptor table. */
static int place_descriptors(struct lock* lock) {
  const struct policy* const policy = lock->policy;
  const uint32_t grants = policy->limits.grants;
  const int above = grants > 0 ? policy->grant_target[grants - 1] + 1 : 0;
  int source[CONCLAVE_MAX_GRANTS];
  /* First out of the way of every target, then into place. */
  for (uint32_t i = 0; i < grants; ++i) {
    source[i] = fcntl(policy->grant_source[i], F_DUPFD, above);
    if (source[i] < 0) return errno;
  }
  int executable = -1;
  if (policy->executable >= 0) {
    executable = fcntl(policy->executable, F_DUPFD_CLOEXEC, above);
    if (executable < 0) return errno;
  }
  for (uint32_t i = 0; i < grants; ++i) {
    if (dup2(source[i], policy->grant_target[i]) < 0) return errno;
  }
  if (executable > above) {
    if (dup3(executable, above, O_CLOEXEC) < 0) return errno;
    executable = above;
  }
  lock->executable = executable;
  unsigned next = 0;
  for (uint32_t i = 0; i < grants; ++i) {
    const unsigned target = (unsigned)policy->grant_target[i];
    if (target > next) close_descriptors(next, target - 1);
    next = target + 1;
  }
  close_descriptors(executable >= 0 ? next + 1 : next, ~0u);
  return 0;
}

static int empty_bounding_set(struct lock* lock) {
  (void)lock;
  for (int capability = 0; capability <= LAST_CAPABILITY; ++capability) {
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0) continue;
    if (errno == EINVAL) break; /* beyond the last one the kernel knows */
    /* An ordinary user may not; no_new_privs makes the set inert then, and the canary says so. */
    if (errno == EPERM) break;
    return errno;
  }
  return 0;
}

/* Raw system calls: the C library's wrappers want to tell other threads, and this process borrows another one's memory. */
int lock_take_uid(struct lock* lock) {
  if (!lock->changes_uid) return 0;
  if (syscall(SYS_setgroups, 0, NULL) != 0 && errno != EPERM) return errno;
  if (syscall(SYS_setresgid, lock->gid, lock->gid, lock->gid) != 0) return errno;
  return syscall(SYS_setresuid, lock->uid, lock->uid, lock->uid) == 0 ? 0 : errno;
}

int lock_drop_capabilities(struct lock* lock) {
  (void)lock;
  struct kernel_capability_header header = {KERNEL_CAPABILITY_VERSION, 0};
  const struct kernel_capability_set none[2] = {{0, 0, 0}, {0, 0, 0}};
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 && errno != EINVAL) return errno;
  return syscall(SYS_capset, &header, none) == 0 ? 0 : errno;
}

static int refuse_new_privileges(struct lock* lock) {
  (void)lock;
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
}

/* After the uid has changed: the kernel forgets the wish when credentials do. */
static int die_with_parent(struct lock* lock) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return errno;
  return getppid() == lock->parent ? 0 : ESRCH;
}

/* HOME and TMPDIR name the folder by path, so the run's uid must be able to walk there. */
static int check_folder_reachable(struct lock* lock) {
  struct stat here, there;
  lock->what = lock->policy->folder_path;
  if (stat(".", &here) != 0 || stat(lock->policy->folder_path, &there) != 0) return errno;
  if (here.st_dev != there.st_dev || here.st_ino != there.st_ino) return ESTALE;
  lock->what = NULL;
  return 0;
}

static int filter_paths(struct lock* lock) { return lock->level >= 1 ? path_filter_install(lock) : 0; }

/* At level 0, where the kernel has no filters the watchdog alone enforces the limit; the canary tells which it was. */
static int filter_system_calls(struct lock* lock) {
  const struct filter_options options = {.level = lock->level >= 1 ? 1 : 0,
                                         .one_process = lock->policy->limits.processes == 1,
                                         .self = (pid_t)syscall(SYS_getpid),
                                         .supervisor = lock->parent};
  lock->filter_error = filter_install(&options);
  if (lock->level >= 1) return lock->filter_error;
  return lock->filter_error == E2BIG ? E2BIG : 0; /* our own mistake, not the kernel's lack */
}

/* Whoever starts the supervisor resets how signals are handled, and it sets no handler; what is blocked is its doing. */
static int reset_signals(struct lock* lock) {
  (void)lock;
  sigset_t none;
  sigemptyset(&none);
  return sigprocmask(SIG_SETMASK, &none, NULL) == 0 ? 0 : errno;
}

static int become_program(struct lock* lock) {
  const struct policy* const policy = lock->policy;
  lock->what = policy->arguments[0];
  if (lock->executable >= 0) {
    syscall(SYS_execveat, lock->executable, "", policy->arguments, policy->environment, KERNEL_EXEC_EMPTY_PATH);
  } else {
    execve(policy->arguments[0], policy->arguments, policy->environment);
  }
  return errno;
}

static const struct {
  enum conclave_step step;
  int (*apply)(struct lock*);
} kSteps[] = {
    {CONCLAVE_STEP_SESSION, start_session},
    {CONCLAVE_STEP_ANNOUNCE, announce},
    {CONCLAVE_STEP_RLIMITS, apply_rlimits},
    {CONCLAVE_STEP_FOLDER, enter_folder},
    {CONCLAVE_STEP_DESCRIPTORS, place_descriptors},
    {CONCLAVE_STEP_BOUNDING_SET, empty_bounding_set},
    {CONCLAVE_STEP_UID, lock_take_uid},
    {CONCLAVE_STEP_CAPABILITIES, lock_drop_capabilities},
    {CONCLAVE_STEP_NO_NEW_PRIVS, refuse_new_privileges},
    {CONCLAVE_STEP_PARENT_DEATH, die_with_parent},
    {CONCLAVE_STEP_FOLDER_REACHABLE, check_folder_reachable},
    {CONCLAVE_STEP_PATH_FILTER, filter_paths},
    {CONCLAVE_STEP_SYSCALL_FILTER, filter_system_calls},
    {CONCLAVE_STEP_CANARIES, lock_prove},
    {CONCLAVE_STEP_SIGNALS, reset_signals},
    {CONCLAVE_STEP_EXEC, become_program},
};

/* The level that cannot be had without a step; 0: no run can. */
static int level_of(enum conclave_step step) {
  switch (step) {
    case CONCLAVE_STEP_NAMESPACES:
    case CONCLAVE_STEP_ID_MAPS:
    case CONCLAVE_STEP_MOUNTS: return 2;
    case CONCLAVE_STEP_PATH_FILTER:
    case CONCLAVE_STEP_SYSCALL_FILTER: return 1;
    default: return 0;
  }
}

int lock_step(struct lock* lock, enum conclave_step step, int (*apply)(struct lock*)) {
  const int64_t begun_ns = monotonic_ns();
  lock->step = step;
  lock->error = apply(lock);
  lock->step_us[step] += (int32_t)((monotonic_ns() - begun_ns) / 1000);
  if (lock->error != 0 && step != CONCLAVE_STEP_CANARIES) lock->failed_level = level_of(step);
  return lock->error;
}

void lock_blame(struct lock* lock, enum conclave_layer layer, int error, const char* what) {
  struct layer_proof* const proof = &lock->proofs[layer];
  proof->error = error;
  snprintf(proof->detail, sizeof proof->detail, "%s%s%s", what == NULL ? "" : what, what == NULL ? "" : ": ", strerror(error));
}

int lock_locked_child(void* argument) {
  struct lock* const lock = argument;
  for (size_t i = 0; i < sizeof kSteps / sizeof kSteps[0]; ++i) {
    if (lock_step(lock, kSteps[i].step, kSteps[i].apply) != 0) break;
  }
  _exit(127);
}

static const char* next_number(const char* at, unsigned long* out) {
  while (*at == ' ' || *at == '\n') ++at;
  if (*at < '0' || *at > '9') return NULL;
  *out = 0;
  for (; *at >= '0' && *at <= '9'; ++at) *out = *out * 10 + (unsigned long)(*at - '0');
  return at;
}

/* The map says which ids exist in this user namespace: "inside outside count" a line. */
static int id_is_mapped(const char* map_path, unsigned long id) {
  char text[4096]; /* the kernel takes no longer map */
  const int map = open(map_path, O_RDONLY | O_CLOEXEC);
  if (map < 0) return 0;
  const ssize_t count = read(map, text, sizeof text - 1);
  close(map);
  text[count < 0 ? 0 : count] = '\0';
  const char* at = text;
  unsigned long inside, outside, length;
  while ((at = next_number(at, &inside)) != NULL && (at = next_number(at, &outside)) != NULL &&
         (at = next_number(at, &length)) != NULL) {
    if (id >= inside && id - inside < length) return 1;
  }
  return 0;
}

void lock_choose_uid(struct lock* lock) {
  lock->changes_uid = geteuid() == 0;
  if (!lock->changes_uid) {
    lock->uid = geteuid();
    lock->gid = getegid();
    return;
  }
  const unsigned long own = (unsigned long)FIRST_PRIVATE_UID + (unsigned long)getpid();
  lock->uid_is_private = id_is_mapped("/proc/self/uid_map", own) && id_is_mapped("/proc/self/gid_map", own);
  lock->uid = lock->uid_is_private ? (uid_t)own : (uid_t)NOBODY;
  lock->gid = (gid_t)lock->uid;
}

/* In the supervisor's own namespaces. */
static pid_t start_child(struct lock* lock) {
  enum { STACK_USED = 12 << 10 };
  static char stack[256 << 10] __attribute__((aligned(PREFAULT_PAGE)));
  prefault(stack + sizeof stack - STACK_USED, STACK_USED);
  lock->parent = lock->supervisor;
  lock->step = CONCLAVE_STEP_CLONE;
  /* Suspended until the child has become the program or is gone; nothing else runs in this process. */
  const pid_t child = clone(lock_locked_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, lock);
  if (child < 0) {
    lock->error = errno;
    return -1;
  }
  if (lock->error == 0 && lock->step != CONCLAVE_STEP_EXEC) lock->error = EINTR; /* killed from outside on its way */
  return lock->error == 0 ? child : -1;
}

pid_t lock_start(struct lock* lock, pid_t* init) {
  lock->executable = -1;
  lock->what = NULL;
  lock->error = 0;
  lock->failed_level = 0;
  *init = 0;
  if (lock->level < 2) return start_child(lock);
  const pid_t started = init_start(lock);
  if (started < 0) return -1;
  *init = started;
  const pid_t program = init_program(started);
  return program > 0 ? program : started; /* ended already: what the init says counts */
}
