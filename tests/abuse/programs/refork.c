/* Leaves a daemon behind that is a new process every millisecond. Exits with 5. */
#include <signal.h>
#include <unistd.h>

int main(void) {
  signal(SIGCHLD, SIG_IGN);
  const pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    setsid();
    for (;;) {
      if (fork() > 0) _exit(0);
      usleep(1000);
    }
  }
  usleep(100000);
  return 5;
}
