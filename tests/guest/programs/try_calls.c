/* try_calls: makes calls that level 1 with one process refuses, and some that it allows. Exits with 0 when each was answered as
 * the rules say; else prints the line and exits with 1. try_calls foreign: a 32-bit system call, which ends the process. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

static void expect(int line, long result, int expected) {
  const int error = result == -1 ? errno : 0;
  if (error == expected) return;
  printf("line %d: %s instead of %s\n", line, strerror(error), strerror(expected));
  ++failures;
}
#define EXPECT(error, call) (errno = 0, expect(__LINE__, (long)(call), error))

static void* work(void* argument) {
  *(int*)argument = 1;
  return argument;
}

static void try_files(void) {
  int ends[2];
  EXPECT(0, pipe(ends));
  EXPECT(EPERM, fcntl(ends[1], 1031 /* F_SETPIPE_SZ */, 1 << 20));
  EXPECT(EPERM, fcntl(ends[1], 8 /* F_SETOWN */, getppid()));
  EXPECT(EPERM, fcntl(ends[1], 1024 /* F_SETLEASE */, F_RDLCK));
  EXPECT(0, fcntl(ends[1], F_SETFL, O_NONBLOCK));
  EXPECT(EPERM, ioctl(ends[0], TIOCSTI, "x"));
  EXPECT(EPERM, syscall(SYS_ioctl, ends[0], (1ul << 32) | TIOCSTI, "x"));
  EXPECT(ENOTTY, ioctl(ends[0], 0x8901 /* FIOSETOWN */, &ends));
  int waiting = 0;
  EXPECT(0, ioctl(ends[0], FIONREAD, &waiting));
  EXPECT(ENOTTY, ioctl(ends[0], TCGETS, ends));
  EXPECT(EACCES, syscall(SYS_socket, 1, 1, 0));
  EXPECT(ENOSYS, syscall(SYS_memfd_create, "x", 0));
  EXPECT(ENOSYS, syscall(SYS_connect, 0, NULL, 0));
  if (mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) expect(__LINE__, 0, EPERM);
}

static void try_processes(void) {
  const struct rlimit none = {0, 0};
  struct rlimit limit;
  EXPECT(EAGAIN, syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  EXPECT(ENOSYS, syscall(435 /* clone3 */, NULL, 0));
  EXPECT(EPERM, kill(getppid(), 0));
  EXPECT(EPERM, kill(1, 0));
  EXPECT(EPERM, kill(-1, 0));
  EXPECT(0, kill(getpid(), 0));
  EXPECT(0, kill(0, 0));
  EXPECT(0, raise(SIGCONT));
  EXPECT(EPERM, syscall(SYS_prlimit64, getppid(), RLIMIT_CPU, NULL, &limit));
  EXPECT(EPERM, syscall(SYS_prlimit64, getppid(), RLIMIT_CPU, &none, NULL));
  EXPECT(0, getrlimit(RLIMIT_CPU, &limit));
  EXPECT(EPERM, ptrace(PTRACE_TRACEME, 0, NULL, NULL));
  EXPECT(EPERM, syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0));
  EXPECT(EPERM, syscall(438 /* pidfd_getfd */, 0, 0, 0));
  EXPECT(EPERM, syscall(SYS_unshare, CLONE_NEWUSER));
  EXPECT(EPERM, prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0));
  EXPECT(EPERM, prctl(PR_SET_SECCOMP, 2, NULL, 0, 0));
  EXPECT(0, prctl(PR_SET_NAME, "name", 0, 0, 0));
  pthread_t thread;
  int worked = 0;
  if (pthread_create(&thread, NULL, work, &worked) == 0) pthread_join(thread, NULL);
  if (!worked) expect(__LINE__, -1, 0);
}

static void try_the_machine(void) {
  EXPECT(EPERM, syscall(SYS_bpf, 0, NULL, 0));
  EXPECT(EPERM, syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
  EXPECT(EPERM, syscall(SYS_userfaultfd, 0));
  EXPECT(ENOSYS, syscall(425 /* io_uring_setup */, 1, NULL));
  EXPECT(ENOSYS, syscall(444 /* landlock_create_ruleset */, NULL, 0, 1));
  EXPECT(EPERM, syscall(SYS_keyctl, 0, 0, 0, 0, 0));
  EXPECT(EPERM, syscall(SYS_add_key, "user", "x", "x", 1, -3));
  EXPECT(EPERM, syscall(SYS_personality, 0x0040000));
  EXPECT(0, syscall(SYS_personality, 0xffffffff));
  EXPECT(ENOSYS, syscall(4000));
#if defined(__x86_64__)
  EXPECT(ENOSYS, syscall(0x40000000 + SYS_getpid));
  EXPECT(EPERM, syscall(SYS_iopl, 3));
  EXPECT(EPERM, syscall(SYS_modify_ldt, 0, NULL, 0));
#endif
}

int main(int count, char** arguments) {
  if (count > 1 && strcmp(arguments[1], "foreign") == 0) {
#if defined(__x86_64__)
    long result = 20; /* getpid */
    __asm__ volatile("int $0x80" : "+a"(result) : : "memory");
    return result == -ENOSYS ? 38 : 0;
#else
    return raise(SIGSYS);
#endif
  }
  try_files();
  try_processes();
  try_the_machine();
  return failures != 0;
}
