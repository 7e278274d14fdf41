/* Prints what it was started with: signals blocked and ignored, session, umask, environment. */
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

extern char** environ;

int main(void) {
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  int blocked_count = 0, ignored_count = 0;
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action;
    blocked_count += sigismember(&blocked, number) == 1;
    if (sigaction(number, NULL, &action) == 0) ignored_count += action.sa_handler != SIG_DFL;
  }
  int variables = 0;
  for (char** at = environ; *at != NULL; ++at) ++variables;
  printf("blocked %d ignored %d session %d umask %o variables %d", blocked_count, ignored_count, getsid(0) == getpid(),
         (unsigned)umask(0), variables);
  return 0;
}
