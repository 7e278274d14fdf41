#include "lib/guest/supervisor/init.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/guest/supervisor/kernel.h"
#include "lib/guest/supervisor/mounts.h"
#include "lib/guest/supervisor/prefault.h"
#include "lib/guest/supervisor/processes.h"
#include "lib/guest/supervisor/raw_call.h"
#include "lib/guest/supervisor/report.h"

struct init_report init_report;

/* How supervisor and init wait for each other; only one of the two runs at a time until the program does. */
static int go[2];
static int done[2];

unsigned long long namespace_look(int which) {
  static const char* const kPaths[NAMESPACE_COUNT] = {"/proc/self/ns/user", "/proc/self/ns/ipc", "/proc/self/ns/net"};
  struct stat what;
  return stat(kPaths[which], &what) == 0 ? (unsigned long long)what.st_ino : 0;
}

void namespaces_look(int level, struct namespace_marks* marks) {
  for (int i = 0; i < (level >= 3 ? NAMESPACE_COUNT : NAMESPACE_NETWORK); ++i) marks->namespaces[i] = namespace_look(i);
  struct stat root;
  if (stat("/", &root) != 0) return;
  marks->root_device = (unsigned long long)root.st_dev;
  marks->root_inode = (unsigned long long)root.st_ino;
}

static int await_maps(struct lock* lock) {
  (void)lock;
  char word;
  ssize_t count;
  close(go[1]); /* so that the end of the supervisor shows */
  do {
    count = read(go[0], &word, 1);
  } while (count < 0 && errno == EINTR);
  return count == 1 ? 0 : ECONNRESET;
}

/* The supervisor is the init's parent; the init must not live on without it. */
static int die_with_supervisor(struct lock* lock) {
  (void)lock;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return errno;
  return setsid() < 0 ? errno : 0;
}

/* From here on the supervisor works in the same memory. Whoever is left without a parent becomes our child. */
static void __attribute__((noreturn)) wait_for_program(long program) {
  for (;;) {
    const long pid = raw_call(SYS_wait4, -1, (long)&init_report.main_status, __WALL, (long)&init_report.main_usage);
    if (pid == program) break;
    if (pid < 0 && pid != -EINTR) raw_call(SYS_exit_group, 1, 0, 0, 0);
  }
  init_report.main_ended = 1;
  while (raw_call(SYS_wait4, -1, 0, __WALL | WNOHANG, 0) > 0) {} /* ended before, and not left behind */
  int left = 0;
  for (;;) {
    raw_call(SYS_kill, -1, SIGKILL, 0, 0);
    const long pid = raw_call(SYS_wait4, -1, 0, __WALL, 0);
    if (pid > 0) {
      ++left;
    } else if (pid != -EINTR) {
      break;
    }
  }
  init_report.left = left;
  for (;;) raw_call(SYS_exit_group, 0, 0, 0, 0);
}

static void close_all_but(int kept) {
  if (kept > 0) syscall(SYS_close_range, 0u, (unsigned)kept - 1u, 0);
  syscall(SYS_close_range, (unsigned)kept + 1u, ~0u, 0);
}

enum { STACK_BYTES = 128 << 10, STACK_USED = 24 << 10 };
static char init_stack[STACK_BYTES] __attribute__((aligned(PREFAULT_PAGE)));
static char child_stack[STACK_BYTES] __attribute__((aligned(PREFAULT_PAGE)));

static int init_main(void* argument) {
  struct lock* const lock = argument;
  if (lock_step(lock, CONCLAVE_STEP_ID_MAPS, await_maps) != 0) _exit(127);
  if (lock_step(lock, CONCLAVE_STEP_UID, lock_take_uid) != 0) _exit(127);
  if (lock_step(lock, CONCLAVE_STEP_PARENT_DEATH, die_with_supervisor) != 0) _exit(127);
  if (lock_step(lock, CONCLAVE_STEP_MOUNTS, mounts_make) != 0) _exit(127);
  lock->parent = 1;
  lock->step = CONCLAVE_STEP_CLONE;
  const pid_t program = clone(lock_locked_child, child_stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, lock);
  if (program < 0) lock->error = errno;
  if (lock->error == 0 && lock->step != CONCLAVE_STEP_EXEC) lock->error = EINTR; /* killed from outside on its way */
  if (lock->error != 0) _exit(127);
  lock_drop_capabilities(lock);
  close_all_but(done[1]);
  const int last = done[1];
  raw_call(SYS_write, last, (long)"", 1, 0);
  raw_call(SYS_close, last, 0, 0, 0);
  wait_for_program(program);
}

static int write_file(pid_t init, const char* name, const char* text) {
  char path[48];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)init, name);
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const ssize_t count = write(file, text, strlen(text));
  const int error = count < 0 ? errno : 0;
  close(file);
  return error;
}

/* One id inside, the run's own, and the same outside: nothing in the namespace is root. */
static int write_maps(const struct lock* lock, pid_t init) {
  char text[64];
  int error = 0;
  snprintf(text, sizeof text, "%lu %lu 1\n", (unsigned long)lock->uid, (unsigned long)lock->uid);
  error = write_file(init, "uid_map", text);
  /* An ordinary user may map its group only where nobody can leave groups any more. */
  if (error == 0 && !lock->changes_uid) error = write_file(init, "setgroups", "deny");
  if (error != 0) return error;
  snprintf(text, sizeof text, "%lu %lu 1\n", (unsigned long)lock->gid, (unsigned long)lock->gid);
  return write_file(init, "gid_map", text);
}

static pid_t fail(struct lock* lock, enum conclave_step step, int error) {
  lock->step = step;
  lock->error = error;
  lock->failed_level = 2;
  return -1;
}

static void close_pair(int* pair) {
  close(pair[0]);
  close(pair[1]);
}

/* The init has ended before the program ran: what it left in `lock` says why. */
static pid_t give_up(struct lock* lock, pid_t init) {
  kill(init, SIGKILL);
  while (waitpid(init, NULL, __WALL) < 0 && errno == EINTR) {}
  if (lock->error == 0) {
    lock->error = EINTR;
    lock->failed_level = 2;
  }
  return -1;
}

static void announce(pid_t init) {
  const int process = (int)syscall(SYS_pidfd_open, init, 0);
  if (process < 0) return;
  report_program(process);
  close(process);
}

pid_t init_start(struct lock* lock) {
  const int flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | (lock->level >= 3 ? CLONE_NEWNET : 0);
  memset(&init_report, 0, sizeof init_report);
  lock->step = CONCLAVE_STEP_NAMESPACES;
  if (pipe2(go, O_CLOEXEC) != 0) return fail(lock, CONCLAVE_STEP_NAMESPACES, errno);
  if (pipe2(done, O_CLOEXEC) != 0) {
    const int error = errno;
    close_pair(go);
    return fail(lock, CONCLAVE_STEP_NAMESPACES, error);
  }
  prefault(init_stack + STACK_BYTES - STACK_USED, STACK_USED);
  prefault(child_stack + STACK_BYTES - STACK_USED, STACK_USED);
  const pid_t init = clone(init_main, init_stack + STACK_BYTES, CLONE_VM | SIGCHLD | flags, lock);
  const int clone_error = errno;
  close(go[0]);
  close(done[1]);
  if (init < 0) {
    close(go[1]);
    close(done[0]);
    fail(lock, CONCLAVE_STEP_NAMESPACES, clone_error);
    lock->failed_level = lock->level;
    return -1;
  }
  announce(init);
  /* An ordinary user may write to its process's files only while it may look into it. No code of the run is there yet. */
  if (!lock->changes_uid) prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  const int map_error = write_maps(lock, init);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  char word;
  ssize_t count = 0;
  if (map_error == 0 && write(go[1], "", 1) == 1) {
    do {
      count = raw_call(SYS_read, done[0], (long)&word, 1, 0);
    } while (count == -EINTR);
  }
  close(go[1]);
  close(done[0]);
  if (count == 1) return init;
  if (map_error != 0) fail(lock, CONCLAVE_STEP_ID_MAPS, map_error);
  return give_up(lock, init);
}

pid_t init_program(pid_t init) {
  pid_t program = 0;
  return process_children(init, &program, 1) == 1 ? program : 0;
}
