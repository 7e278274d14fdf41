/* Tries to take back what was given up; exits with 0 when everything was refused. */
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  const int limits[] = {RLIMIT_AS, RLIMIT_DATA, RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_CORE, RLIMIT_STACK};
  for (int i = 0; i < (int)(sizeof limits / sizeof limits[0]); ++i) {
    struct rlimit limit;
    if (getrlimit(limits[i], &limit) != 0 || limit.rlim_max == RLIM_INFINITY) return 1;
    limit.rlim_max += 1;
    if (setrlimit(limits[i], &limit) == 0) return 2;
  }
  if (setpriority(PRIO_PROCESS, 0, -20) == 0) return 3;
  const struct sched_param priority = {.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO, &priority) == 0) return 4;
  if (setuid(0) == 0 || setgid(0) == 0) return 5;
  const gid_t group = 0;
  if (setgroups(1, &group) == 0) return 6;
  if (chroot(".") == 0) return 7;
  if (kill(1, 0) == 0) return 8;
  return 0;
}
