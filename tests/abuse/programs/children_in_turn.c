/* Starts one child after another; each uses the processor for argv[1] milliseconds. With argv[2] nobody waits for them. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void burn(long milliseconds) {
  while (clock() < milliseconds * (CLOCKS_PER_SEC / 1000)) {}
}

int main(int count, char** arguments) {
  const long milliseconds = atol(arguments[1]);
  if (count > 2) signal(SIGCHLD, SIG_IGN);
  for (;;) {
    const pid_t child = fork();
    if (child == 0) {
      burn(milliseconds);
      _exit(0);
    }
    if (child < 0) return 1;
    waitpid(child, NULL, 0);
  }
}
