/* Makes system calls by the numbers of other tables: those of 32-bit programs and, on x86-64, x32. */
#include "attempts.h"

#if defined(__x86_64__)
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>

static sigjmp_buf no_such_entry;

static void leave(int number) { siglongjmp(no_such_entry, number); }

/* Where the kernel has no such entry it is a fault. */
static long call_as_32_bit(long number, long a, long b, long c) {
  long result = number;
  if (sigsetjmp(no_such_entry, 1) != 0) return -1;
  __asm__ volatile("int $0x80" : "+a"(result) : "b"(a), "c"(b), "d"(c) : "memory", "r8", "r9", "r10", "r11");
  return (int)result;
}

static long call_as_x32(long number, long a, long b, long c) { return syscall(0x40000000 | number, a, b, c); }

int main(void) {
  signal(SIGSEGV, leave);
  signal(SIGSYS, leave);
  attempt(6, "getpid of x32", call_as_x32(SYS_getpid, 0, 0, 0));
  attempt(7, "socket of x32", call_as_x32(SYS_socket, 1, 1, 0));
  attempt(8, "ptrace of x32", call_as_x32(521, 0, 0, 0));
  attempt(9, "unshare of x32", call_as_x32(SYS_unshare, 0x10000000, 0, 0));
  attempt(10, "getpid of x32 under its number of x86-64", syscall(0x80000000u | SYS_getpid));
  /* Where a call of 32 bit ends the process, nothing comes after it. */
  attempt(1, "getpid of 32 bit", call_as_32_bit(20, 0, 0, 0));
  attempt(2, "socket of 32 bit", call_as_32_bit(359, 1, 1, 0));
  attempt(3, "ptrace of 32 bit", call_as_32_bit(26, 0 /* PTRACE_TRACEME */, 0, 0));
  attempt(4, "kill of 32 bit", call_as_32_bit(37, -1, 0, 0));
  attempt(5, "unshare of 32 bit", call_as_32_bit(310, 0x10000000, 0, 0));
  return first_through;
}
#else
/* 32-bit programs of arm64 cannot be entered from 64-bit code; numbers beyond the table are all there is. */
int main(void) {
  attempt(1, "a number beyond the table", syscall(0x40000000));
  return first_through;
}
#endif
