/* Makes timers and queues signals until refused; exits with 1 when 2,000 of either are not too many. */
#include <signal.h>
#include <time.h>

#include "attempts.h"

enum { TOO_MANY = 2000 };

int main(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  int made = 0;
  for (timer_t timer; made < TOO_MANY && timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0;) ++made;
  attempt(1, "timers", made < TOO_MANY ? -1 : 0);
  int queued = 0;
  while (queued < TOO_MANY && sigqueue(getpid(), SIGRTMIN, (union sigval){0}) == 0) ++queued;
  attempt(2, "signals", queued < TOO_MANY ? -1 : 0);
  return first_through;
}
