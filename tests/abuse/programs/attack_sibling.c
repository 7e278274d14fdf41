/* Attacks a run that goes on at the same time: attack_sibling PID FOLDER ADDRESS. Says of each way whether it was refused. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "attempts.h"

static char path[5000];

static const char* in(const char* folder, const char* name) {
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static const char* of_process(const char* pid, const char* name) {
  snprintf(path, sizeof path, "/proc/%s/%s", pid, name);
  return path;
}

static void report(int number, const char* what, long result) {
  printf("%s: %s\n", what, result < 0 ? "refused" : "done");
  if (result >= 0 && first_through == 0) first_through = number;
}

int main(int count, char** arguments) {
  if (count < 4) return 100;
  const char* const pid = arguments[1];
  const char* const folder = arguments[2];
  const pid_t number = atoi(pid);
  char copy[9] = "";
  struct iovec here = {copy, sizeof copy}, there = {(void*)strtoul(arguments[3], NULL, 10), sizeof copy};

  report(1, "list its folder", can_open(folder, O_RDONLY | O_DIRECTORY));
  report(2, "read its file", can_read(in(folder, "secret")));
  report(3, "write its file", can_open(in(folder, "secret"), O_WRONLY));
  report(4, "add a file", can_open(in(folder, "added"), O_WRONLY | O_CREAT));
  report(5, "change into its folder", chdir(folder));
  report(6, "its folder through /proc", can_open(of_process(pid, "cwd/secret"), O_RDONLY));
  report(7, "read its memory", syscall(SYS_process_vm_readv, number, &here, 1ul, &there, 1ul, 0ul));
  report(8, "write its memory", syscall(SYS_process_vm_writev, number, &here, 1ul, &there, 1ul, 0ul));
  report(9, "its memory through /proc", can_open(of_process(pid, "mem"), O_RDWR));
  report(10, "its environment", can_open(of_process(pid, "environ"), O_RDONLY));
  report(11, "write its result through /proc", can_open(of_process(pid, "fd/5"), O_WRONLY));
  const int handle = (int)syscall(434 /* pidfd_open */, number, 0);
  report(12, "take its result's descriptor", handle < 0 ? -1 : syscall(438 /* pidfd_getfd */, handle, 5, 0));
  report(13, "signal it", kill(number, 0));
  report(14, "signal it by handle", handle < 0 ? -1 : syscall(424 /* pidfd_send_signal */, handle, 0, NULL, 0));
  const struct rlimit none = {0, 0};
  report(15, "limit it", syscall(SYS_prlimit64, number, RLIMIT_CORE, &none, NULL));
  const long seized = ptrace(PTRACE_SEIZE, number, NULL, NULL);
  report(16, "trace it", seized);
  if (seized >= 0) ptrace(PTRACE_DETACH, number, NULL, NULL);
  return first_through;
}
