/* Looks into other processes: look_into PID... A way that works on the n-th has its number plus 30 (n - 1). */
#include <errno.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "attempts.h"

static char room[16];

/* No address is known to be there, and a bad address is found only after the right to look was checked. */
static long checked(long result) { return result < 0 && errno == EFAULT ? 0 : result; }

static long file_of(pid_t pid, const char* name, int flags) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
  return can_open(path, flags);
}

static void look(pid_t pid, int base) {
  struct iovec here = {room, sizeof room}, there = {(void*)0x10000, sizeof room};
  attempt(base + 1, "environment", file_of(pid, "environ", O_RDONLY));
  attempt(base + 2, "arguments", file_of(pid, "cmdline", O_RDONLY));
  attempt(base + 3, "memory for reading", file_of(pid, "mem", O_RDONLY));
  attempt(base + 4, "memory for writing", file_of(pid, "mem", O_RDWR));
  attempt(base + 5, "map of memory", file_of(pid, "maps", O_RDONLY));
  attempt(base + 6, "descriptors", file_of(pid, "fd", O_RDONLY | O_DIRECTORY));
  attempt(base + 7, "root", file_of(pid, "root", O_RDONLY | O_DIRECTORY));
  attempt(base + 8, "working folder", file_of(pid, "cwd", O_RDONLY | O_DIRECTORY));
  attempt(base + 9, "namespace", file_of(pid, "ns/mnt", O_RDONLY));
  attempt(base + 10, "process_vm_readv", checked(syscall(SYS_process_vm_readv, pid, &here, 1ul, &there, 1ul, 0ul)));
  attempt(base + 11, "process_vm_writev", checked(syscall(SYS_process_vm_writev, pid, &here, 1ul, &there, 1ul, 0ul)));
  attempt(base + 12, "kcmp", syscall(SYS_kcmp, getpid(), pid, 0, 0, 0));
  long head;
  size_t size;
  attempt(base + 13, "robust list", syscall(SYS_get_robust_list, pid, &head, &size));
  struct rlimit limit;
  attempt(base + 14, "limits", syscall(SYS_prlimit64, pid, RLIMIT_CPU, NULL, &limit));
  attempt(base + 15, "pages", checked(syscall(SYS_move_pages, pid, 1ul, &there.iov_base, NULL, (int*)room, 0)));
  const int handle = (int)syscall(434 /* pidfd_open */, pid, 0);
  if (handle >= 0) attempt(base + 16, "a descriptor of it", syscall(438 /* pidfd_getfd */, handle, 0, 0));
  const long seized = ptrace(PTRACE_SEIZE, pid, NULL, NULL);
  attempt(base + 17, "ptrace", seized);
  if (seized >= 0) ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

int main(int count, char** arguments) {
  for (int i = 1; i < count; ++i) look(atoi(arguments[i]), 30 * (i - 1));
  return first_through;
}
