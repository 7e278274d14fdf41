/* Tries to stop and to kill its supervisor in every way one process of a user can; exits with 6 when each was refused, else
 * with the number of the way that worked. Signal 0 where a success would reach more than the supervisor. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRY(number, call) \
  if ((call) == 0) return number

static int signal_by_owner(pid_t target) {
  int ends[2];
  if (pipe(ends) != 0 || fcntl(ends[0], F_SETOWN, target) != 0) return -1;
  if (fcntl(ends[0], F_SETSIG, SIGKILL) != 0) return -1;
  if (fcntl(ends[0], F_SETFL, O_ASYNC) != 0 || write(ends[1], "x", 1) != 1) return -1;
  usleep(100000);
  return kill(target, 0) == 0 ? -1 : 0;
}

static int signal_by_folder(pid_t target) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d", (int)target);
  const int folder = open(path, O_RDONLY | O_DIRECTORY);
  return folder < 0 ? -1 : (int)syscall(SYS_pidfd_send_signal, folder, SIGKILL, NULL, 0);
}

int main(void) {
  const pid_t target = getppid();
  siginfo_t word;
  memset(&word, 0, sizeof word);
  word.si_code = SI_QUEUE;
  const struct rlimit none = {0, 0};
  prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0); /* should it work, outlive it */

  TRY(11, kill(target, SIGSTOP));
  TRY(12, kill(target, SIGKILL));
  TRY(13, kill(-target, SIGKILL));
  TRY(15, syscall(SYS_tkill, target, SIGKILL));
  TRY(16, syscall(SYS_tgkill, target, target, SIGKILL));
  TRY(17, syscall(SYS_rt_sigqueueinfo, target, SIGKILL, &word));
  TRY(18, syscall(SYS_rt_tgsigqueueinfo, target, target, SIGKILL, &word));
  TRY(20, signal_by_folder(target));
  TRY(21, syscall(SYS_prlimit64, target, RLIMIT_CPU, &none, NULL));
  TRY(22, signal_by_owner(target));
  const struct sched_param idle = {0};
  unsigned long first_processor = 1;
  TRY(24, sched_setscheduler(target, SCHED_IDLE, &idle));
  TRY(25, sched_setparam(target, &idle));
  TRY(26, syscall(SYS_sched_setaffinity, target, sizeof first_processor, &first_processor));
  TRY(27, setpriority(PRIO_PROCESS, (id_t)target, 19));
  if (syscall(SYS_pidfd_open, target, 0) >= 0) return 19;
  /* As root the run's uid is its own, and it may signal all of that: itself. */
  if (getuid() < 0x70000000) TRY(14, kill(-1, 0));
  /* What programs do with signals among themselves still works. */
  if (kill(getpid(), 0) != 0 || kill(0, 0) != 0 || raise(SIGCONT) != 0) return 23;
  return 6;
}
