/* Tries to start one process in each way there is; exits with 0 when all were refused and threads still work. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static void* nothing(void* argument) { return argument; }

static int refused(long result) {
  if (result == 0) _exit(0); /* the child that should not be */
  return result < 0 && errno == EAGAIN;
}

int main(void) {
  if (!refused(fork())) return 1;
  if (!refused(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))) return 2;
  char* const arguments[] = {"true", NULL};
  pid_t child;
  if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, NULL) != EAGAIN) return 3;
  pthread_t thread;
  if (pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0) return 4;
  return 0;
}
