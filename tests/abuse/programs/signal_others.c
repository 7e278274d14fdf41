/* Signals processes that are not its own: signal_others PID... Signal 0 asks for the right alone; the last try is meant.
 * A way that works on the n-th has its number plus 20 (n - 1). */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "attempts.h"

static void try_on(pid_t pid, int base) {
  siginfo_t word;
  memset(&word, 0, sizeof word);
  word.si_code = SI_QUEUE;
  attempt(base + 1, "kill", kill(pid, 0));
  attempt(base + 2, "kill its group", kill(-getpgid(pid), 0));
  attempt(base + 3, "tkill", syscall(SYS_tkill, pid, 0));
  attempt(base + 4, "tgkill", syscall(SYS_tgkill, pid, pid, 0));
  attempt(base + 5, "sigqueue", syscall(SYS_rt_sigqueueinfo, pid, 0, &word));
  attempt(base + 6, "sigqueue to a thread", syscall(SYS_rt_tgsigqueueinfo, pid, pid, 0, &word));
  const int handle = (int)syscall(434 /* pidfd_open */, pid, 0);
  if (handle >= 0) attempt(base + 7, "by handle", syscall(424 /* pidfd_send_signal */, handle, 0, NULL, 0));
  char path[32];
  snprintf(path, sizeof path, "/proc/%d", (int)pid);
  const int folder = open(path, O_RDONLY | O_DIRECTORY);
  if (folder >= 0) attempt(base + 8, "by folder", syscall(424, folder, 0, NULL, 0));
}

int main(int count, char** arguments) {
  if (count < 2) return 100;
  for (int i = 1; i < count; ++i) try_on(atoi(arguments[i]), 20 * (i - 1));
  attempt(90, "all", kill(-1, 0));
  attempt(91, "process 1", kill(1, 0));
  attempt(92, "kill, meant", kill(atoi(arguments[1]), SIGKILL));
  return first_through;
}
