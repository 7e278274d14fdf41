#include "lib/guest/supervisor/process_filter.h"

#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>

#include "lib/guest/supervisor/kernel.h"

/* A refusal is an error number and never a kill: `import pandas` tries to run `uname -p` and goes on without it. clone3 hides
 * its flags behind a pointer, so it answers "no such system call", upon which C libraries fall back to clone. */
#define LOAD(offset) \
  { KERNEL_BPF_LOAD, 0, 0, offset }
#define RETURN(value) \
  { KERNEL_BPF_RETURN, 0, 0, value }
#define IF_EQUAL(value, skip_true, skip_false) \
  { KERNEL_BPF_JUMP_EQUAL, skip_true, skip_false, value }
#define REFUSE(error) RETURN(KERNEL_SECCOMP_ERRNO | (error))

static const struct kernel_filter kFilter[] = {
    /* Another architecture's numbers (32-bit system calls from a 64-bit program) mean other things: none are served. */
    LOAD(KERNEL_SECCOMP_ARCHITECTURE),
    IF_EQUAL(KERNEL_ARCHITECTURE, 1, 0),
    REFUSE(ENOSYS),
    LOAD(KERNEL_SECCOMP_NUMBER),
#if defined(__x86_64__)
    /* x32 numbers */
    {KERNEL_BPF_JUMP_AT_LEAST, 0, 1, 0x40000000u},
    REFUSE(ENOSYS),
    IF_EQUAL(SYS_fork, 1, 0),
    IF_EQUAL(SYS_vfork, 0, 1),
    REFUSE(EAGAIN),
#endif
    IF_EQUAL(SYS_clone3, 0, 1),
    REFUSE(ENOSYS),
    IF_EQUAL(SYS_clone, 0, 3),
    LOAD(KERNEL_SECCOMP_ARGUMENT_0_LOW),
    {KERNEL_BPF_JUMP_ANY_BIT, 1, 0, CLONE_THREAD},
    REFUSE(EAGAIN),
    RETURN(KERNEL_SECCOMP_ALLOW),
};

int process_filter_install(void) {
  const struct kernel_filter_program program = {sizeof kFilter / sizeof kFilter[0], kFilter};
  return prctl(PR_SET_SECCOMP, KERNEL_SECCOMP_FILTER_MODE, &program, 0, 0) == 0 ? 0 : errno;
}
