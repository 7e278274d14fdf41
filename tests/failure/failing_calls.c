#include "tests/failure/failing_calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef FAILING_CALLS_OF_SUPERVISOR
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
static struct failing_plan* plan_now; /* the processes of a supervisor borrow each other's memory */
#else
static _Thread_local struct failing_plan* plan_now;
#endif

void failing_calls_follow(struct failing_plan* plan) { plan_now = plan; }

/* The error that this call has to fail with; 0 for none. Given 0, it cannot fail that way. */
static int planned(const char* name, int short_of, int interrupted, int forbidden) {
  struct failing_plan* const plan = plan_now;
  if (plan == NULL) return 0;
  const int error = plan->mode == FAILING_SHORT ? short_of : plan->mode == FAILING_INTERRUPTED ? interrupted : forbidden;
  if (error == 0) return 0;
  const int64_t number = __atomic_add_fetch(&plan->calls, 1, __ATOMIC_SEQ_CST);
  if (number != plan->fail_at && !(plan->from_then_on && number > plan->fail_at)) return 0;
  if (plan->failed[0] == '\0') strncpy(plan->failed, name, sizeof plan->failed - 1);
  return error;
}

static int fails(const char* name, int short_of, int interrupted, int forbidden) {
  const int error = planned(name, short_of, interrupted, forbidden);
  if (error != 0) errno = error;
  return error;
}

/* A call with a fixed parameter list: result on failure -1. */
#define CALL(type, name, parameters, arguments, short_of, interrupted, forbidden) \
  type __real_##name parameters;                                                  \
  type __wrap_##name parameters;                                                  \
  type __wrap_##name parameters {                                                 \
    if (fails(#name, short_of, interrupted, forbidden)) return (type)-1;          \
    return __real_##name arguments;                                               \
  }

/* One that returns its error. */
#define RETURNS_ERROR(name, parameters, arguments, short_of, forbidden) \
  int __real_##name parameters;                                         \
  int __wrap_##name parameters;                                         \
  int __wrap_##name parameters {                                        \
    const int error = fails(#name, short_of, 0, forbidden);             \
    return error != 0 ? error : __real_##name arguments;                \
  }

/* One that returns a null pointer. */
#define RETURNS_NULL(type, name, parameters, arguments, short_of) \
  type __real_##name parameters;                                  \
  type __wrap_##name parameters;                                  \
  type __wrap_##name parameters { return fails(#name, short_of, 0, 0) ? NULL : __real_##name arguments; }

/* Files and folders. Opening is not interrupted where the sandbox opens anything: no file there is a pipe or on a network. */
CALL(int, chmod, (const char* path, mode_t mode), (path, mode), EIO, 0, EPERM)
CALL(int, fchmod, (int fd, mode_t mode), (fd, mode), EIO, 0, EPERM)
CALL(int, fchmodat, (int fd, const char* path, mode_t mode, int flags), (fd, path, mode, flags), EIO, 0, EPERM)
CALL(int, stat, (const char* path, struct stat* out), (path, out), ENOMEM, 0, 0)
CALL(int, fstat, (int fd, struct stat* out), (fd, out), ENOMEM, 0, 0)
CALL(int, fstatat, (int fd, const char* path, struct stat* out, int flags), (fd, path, out, flags), ENOMEM, 0, 0)
CALL(int, renameat, (int from, const char* old, int to, const char* name), (from, old, to, name), ENOSPC, 0, EPERM)
CALL(int, rmdir, (const char* path), (path), EIO, 0, EPERM)
CALL(int, unlinkat, (int fd, const char* path, int flags), (fd, path, flags), EIO, 0, EPERM)
CALL(off_t, lseek, (int fd, off_t offset, int whence), (fd, offset, whence), EIO, 0, 0)
CALL(ssize_t, read, (int fd, void* out, size_t size), (fd, out, size), EIO, EINTR, 0)
CALL(ssize_t, write, (int fd, const void* from, size_t size), (fd, from, size), ENOSPC, EINTR, 0)
RETURNS_NULL(DIR*, fdopendir, (int fd), (fd), ENOMEM)
RETURNS_NULL(struct dirent*, readdir, (DIR * folder), (folder), EIO)

int __real_open(const char* path, int flags, ...);
int __wrap_open(const char* path, int flags, ...);
int __wrap_open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return fails("open", EMFILE, 0, EACCES) ? -1 : __real_open(path, flags, mode);
}

int __real_openat(int fd, const char* path, int flags, ...);
int __wrap_openat(int fd, const char* path, int flags, ...);
int __wrap_openat(int fd, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return fails("openat", EMFILE, 0, EACCES) ? -1 : __real_openat(fd, path, flags, mode);
}

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  const long argument = va_arg(rest, long);
  va_end(rest);
  const int duplicates = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
  return fails("fcntl", duplicates ? EMFILE : EINVAL, 0, duplicates ? 0 : EPERM) ? -1 : __real_fcntl(fd, command, argument);
}

/* The descriptor is gone whatever close() says. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd) {
  const int result = __real_close(fd);
  return fails("close", EIO, EINTR, 0) ? -1 : result;
}

/* Waiting and talking. */
CALL(int, poll, (struct pollfd * sources, nfds_t count, int timeout), (sources, count, timeout), ENOMEM, EINTR, 0)
CALL(ssize_t, send, (int fd, const void* from, size_t size, int flags), (fd, from, size, flags), ENOBUFS, EINTR, 0)
CALL(ssize_t, sendmsg, (int fd, const struct msghdr* message, int flags), (fd, message, flags), ENOBUFS, EINTR, EPERM)
CALL(ssize_t, recvmsg, (int fd, struct msghdr* message, int flags), (fd, message, flags), ENOMEM, EINTR, 0)
CALL(int, kill, (pid_t pid, int number), (pid, number), 0, 0, EPERM)
/* Of a child of one's own: it is there or another took its status. */
CALL(pid_t, waitpid, (pid_t pid, int* status, int options), (pid, status, options), 0, EINTR, 0)

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
/* Reads six arguments whatever was given, as the kernel does. */
__attribute__((no_sanitize_address)) long __wrap_syscall(long number, ...) {
  long a[6];
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < 6; ++i) a[i] = va_arg(rest, long);
  va_end(rest);
  int short_of = ENOMEM, interrupted = 0, forbidden = EPERM;
  switch (number) {
    case SYS_futex:
    case SYS_getpid:
    case SYS_gettid: short_of = forbidden = 0; break; /* cannot fail, or are not of the code under test */
    case SYS_pidfd_open: short_of = EMFILE, forbidden = ENOSYS; break;
    case SYS_pidfd_send_signal: short_of = 0, forbidden = ENOSYS; break;
    case SYS_close_range: forbidden = ENOSYS; break;
    case SYS_clone: short_of = EAGAIN; break;
    case SYS_getdents64: forbidden = 0; break;
    case SYS_wait4: short_of = 0, interrupted = EINTR, forbidden = 0; break;
    default: break;
  }
  char name[24];
  snprintf(name, sizeof name, "syscall %ld", number);
  if (fails(name, short_of, interrupted, forbidden)) return -1;
  return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#ifndef FAILING_CALLS_OF_SUPERVISOR

RETURNS_NULL(char*, mkdtemp, (char* path), (path), ENOSPC)
RETURNS_NULL(char*, realpath, (const char* path, char* out), (path, out), ENOMEM)
CALL(int, faccessat, (int fd, const char* path, int mode, int flags), (fd, path, mode, flags), ENOMEM, 0, EACCES)
CALL(int, flock, (int fd, int operation), (fd, operation), ENOLCK, EINTR, 0)
CALL(ssize_t, pread, (int fd, void* out, size_t size, off_t at), (fd, out, size, at), EIO, EINTR, 0)
CALL(int, pipe2, (int* ends, int flags), (ends, flags), EMFILE, 0, 0)
CALL(int, socketpair, (int domain, int type, int protocol, int* ends), (domain, type, protocol, ends), ENFILE, 0, EPERM)
CALL(int, eventfd, (unsigned count, int flags), (count, flags), EMFILE, 0, EPERM)
CALL(int, memfd_create, (const char* name, unsigned flags), (name, flags), EMFILE, 0, EPERM)
CALL(int, shutdown, (int fd, int how), (fd, how), ENOBUFS, 0, 0)
CALL(int, waitid, (idtype_t kind, id_t id, siginfo_t* out, int options), (kind, id, out, options), 0, EINTR, EINVAL)
RETURNS_ERROR(posix_spawn_file_actions_adddup2, (posix_spawn_file_actions_t * to, int fd, int target), (to, fd, target), ENOMEM,
              0)
RETURNS_ERROR(posix_spawn_file_actions_addopen,
              (posix_spawn_file_actions_t * to, int fd, const char* path, int flags, mode_t mode), (to, fd, path, flags, mode),
              ENOMEM, 0)
RETURNS_ERROR(posix_spawn_file_actions_addclosefrom_np, (posix_spawn_file_actions_t * to, int from), (to, from), ENOMEM, 0)

typedef const posix_spawn_file_actions_t* spawn_actions;
typedef const posix_spawnattr_t* spawn_attributes;
typedef char* const* strings;
int __real_posix_spawn(pid_t*, const char*, spawn_actions, spawn_attributes, strings, strings);
int __wrap_posix_spawn(pid_t*, const char*, spawn_actions, spawn_attributes, strings, strings);
int __wrap_posix_spawn(pid_t* pid, const char* path, spawn_actions actions, spawn_attributes attributes, strings arguments,
                       strings environment) {
  const int refused = fails("posix_spawn", EAGAIN, 0, EPERM);
  if (refused != 0) return refused;
  const int error = __real_posix_spawn(pid, path, actions, attributes, arguments, environment);
  if (error == 0 && plan_now != NULL) plan_now->pids[plan_now->spawned++ % FAILING_PLAN_PIDS] = *pid;
  return error;
}

#else

CALL(int, access, (const char* path, int mode), (path, mode), ENOMEM, 0, EACCES)
CALL(int, chdir, (const char* path), (path), ENOMEM, 0, EACCES)
CALL(int, chroot, (const char* path), (path), ENOMEM, 0, EPERM)
CALL(int, dup2, (int fd, int target), (fd, target), EMFILE, EINTR, 0)
CALL(int, dup3, (int fd, int target, int flags), (fd, target, flags), EMFILE, EINTR, 0)
CALL(int, fchdir, (int fd), (fd), EIO, 0, EACCES)
CALL(int, fchown, (int fd, uid_t uid, gid_t gid), (fd, uid, gid), EIO, 0, EPERM)
CALL(int, getrlimit, (int resource, struct rlimit* out), (resource, out), 0, 0, EPERM)
CALL(int, setrlimit, (int resource, const struct rlimit* limit), (resource, limit), 0, 0, EPERM)
CALL(int, mkdir, (const char* path, mode_t mode), (path, mode), ENOSPC, 0, EACCES)
CALL(int, mkdirat, (int fd, const char* path, mode_t mode), (fd, path, mode), ENOSPC, 0, EACCES)
CALL(int, mount, (const char* from, const char* to, const char* type, unsigned long flags, const void* options),
     (from, to, type, flags, options), ENOMEM, 0, EPERM)
CALL(int, umount2, (const char* path, int flags), (path, flags), EBUSY, 0, EPERM)
CALL(int, pipe2, (int* ends, int flags), (ends, flags), EMFILE, 0, 0)
CALL(int, symlink, (const char* to, const char* path), (to, path), ENOSPC, 0, EPERM)
CALL(int, setgroups, (size_t count, const gid_t* groups), (count, groups), ENOMEM, 0, EPERM)
CALL(int, setns, (int fd, int kind), (fd, kind), ENOMEM, 0, EPERM)
CALL(int, unshare, (int flags), (flags), ENOSPC, 0, EPERM)
CALL(pid_t, setsid, (void), (), 0, 0, EPERM)
CALL(int, sigaction, (int number, const struct sigaction* action, struct sigaction* old), (number, action, old), 0, 0, EINVAL)
CALL(int, sigprocmask, (int how, const sigset_t* set, sigset_t* old), (how, set, old), 0, 0, EPERM)
CALL(int, signalfd, (int fd, const sigset_t* set, int flags), (fd, set, flags), EMFILE, 0, ENOSYS)
CALL(int, socketpair, (int domain, int type, int protocol, int* ends), (domain, type, protocol, ends), ENFILE, 0, EPERM)
CALL(ssize_t, recv, (int fd, void* out, size_t size, int flags), (fd, out, size, flags), ENOMEM, EINTR, 0)
CALL(ssize_t, readlink, (const char* path, char* out, size_t size), (path, out, size), ENOMEM, 0, EACCES)
CALL(ssize_t, pread, (int fd, void* out, size_t size, off_t at), (fd, out, size, at), EIO, EINTR, 0)
CALL(pid_t, wait4, (pid_t pid, int* status, int options, struct rusage* usage), (pid, status, options, usage), 0, EINTR, 0)
CALL(int, execve, (const char* path, char* const* arguments, char* const* environment), (path, arguments, environment), ENOMEM,
     0, EACCES)
RETURNS_NULL(DIR*, opendir, (const char* path), (path), EMFILE)
RETURNS_NULL(FILE*, fopen, (const char* path, const char* mode), (path, mode), EMFILE)

int __real_prctl(int what, ...);
int __wrap_prctl(int what, ...);
int __wrap_prctl(int what, ...) {
  unsigned long a[4];
  va_list rest;
  va_start(rest, what);
  for (int i = 0; i < 4; ++i) a[i] = va_arg(rest, unsigned long);
  va_end(rest);
  return fails("prctl", ENOMEM, 0, EPERM) ? -1 : __real_prctl(what, a[0], a[1], a[2], a[3]);
}

int __real_clone(int (*function)(void*), void* stack, int flags, void* argument, ...);
int __wrap_clone(int (*function)(void*), void* stack, int flags, void* argument, ...);
int __wrap_clone(int (*function)(void*), void* stack, int flags, void* argument, ...) {
  return fails("clone", EAGAIN, 0, EPERM) ? -1 : __real_clone(function, stack, flags, argument);
}

/* In place of lib/guest/supervisor/raw_call.h, whose calls leave no trace in memory: neither does this but in the plan. */
long raw_call(long number, long a, long b, long c, long d);
long raw_call(long number, long a, long b, long c, long d) {
  const int waits = number == SYS_wait4 || number == SYS_read || number == SYS_write;
  const int never = number == SYS_exit_group || number == SYS_exit || number == SYS_close;
  const int error = never ? 0 : planned("raw_call", waits && number != SYS_wait4 ? EIO : 0, waits ? EINTR : 0, 0);
  if (error != 0) return -error;
#if defined(__x86_64__)
  register long r10 __asm__("r10") = d;
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
  return result;
#else
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
  return x0;
#endif
}

__attribute__((constructor)) static void find_plan(void) {
  char path[4096];
  const ssize_t length = __real_readlink("/proc/self/exe", path, sizeof path - sizeof FAILING_PLAN_SUFFIX);
  if (length <= 0) return;
  strcpy(path + length, FAILING_PLAN_SUFFIX);
  const int file = __real_open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* const plan = mmap(NULL, sizeof(struct failing_plan), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  __real_close(file);
  if (plan != MAP_FAILED) plan_now = plan;
}

#endif /* FAILING_CALLS_OF_SUPERVISOR */
