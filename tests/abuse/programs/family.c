/* Starts two children, one of which has a child, all deaf to what can be ignored and to the death of a parent; says "begun" and
 * never ends. */
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

static void wait_for_ever(void) {
  for (;;) pause();
}

int main(void) {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
  if (fork() == 0) wait_for_ever();
  if (fork() == 0) {
    if (fork() > 0 && write(1, "begun\n", 6) != 6) return 1;
    wait_for_ever();
  }
  wait_for_ever();
  return 0;
}
