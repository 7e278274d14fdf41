/* Leaves a daemon behind: two forks and a session of its own. Exits with 5. */
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  const pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    for (;;) pause();
  }
  sleep(1); /* time for the daemon to settle */
  return 5;
}
