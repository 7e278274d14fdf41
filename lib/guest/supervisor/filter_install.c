#include "lib/guest/supervisor/filter_install.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { NATIVE = FILTER_X86_64 };
#elif defined(__aarch64__)
enum { NATIVE = FILTER_ARM64 };
#else
#error "filters are written for x86-64 and arm64"
#endif

enum { SET_MODE_FILTER = 1 }; /* SECCOMP_SET_MODE_FILTER */

int filter_install(const struct filter_options* options) {
  struct filter_program program;
  const int error = filter_compile(options, (enum filter_architecture)NATIVE, &program);
  if (error != 0) return error;
  /* struct sock_fprog */
  const struct {
    unsigned short count;
    const struct filter_step* steps;
  } wanted = {(unsigned short)program.count, program.steps};
  return syscall(SYS_seccomp, SET_MODE_FILTER, 0, &wanted) == 0 ? 0 : errno;
}
