/* Tries to stop and to kill its supervisor, then exits with 6. */
#include <signal.h>
#include <unistd.h>

int main(void) {
  kill(getppid(), SIGSTOP);
  kill(getppid(), SIGKILL);
  usleep(200000);
  return 6;
}
