/* Calls the page of old system calls, which the kernel answers itself: a call that the filter refuses must be refused there. */
#include "attempts.h"

#if defined(__x86_64__)
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

static sigjmp_buf no_such_page;

static void leave(int number) { siglongjmp(no_such_page, number); }

static int differs(long by_number, unsigned long address) {
  if (sigsetjmp(no_such_page, 1) != 0) return -1;
  time_t (*const old)(time_t*) = (time_t(*)(time_t*))address;
  return by_number < 0 && old(NULL) > 0 ? 0 : -1;
}

int main(void) {
  signal(SIGSEGV, leave);
  signal(SIGSYS, leave);
  attempt(1, "time", differs(syscall(SYS_time, NULL), 0xffffffffff600400));
  return first_through;
}
#else
int main(void) { return first_through; }
#endif
