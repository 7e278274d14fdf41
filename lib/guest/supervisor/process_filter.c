#include "lib/guest/supervisor/process_filter.h"

#include <errno.h>
#include <fcntl.h>
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

/* Another architecture's numbers (32-bit system calls from a 64-bit program) mean other things: none are served. */
#define CHECK_ARCHITECTURE \
  LOAD(KERNEL_SECCOMP_ARCHITECTURE), IF_EQUAL(KERNEL_ARCHITECTURE, 1, 0), REFUSE(ENOSYS), LOAD(KERNEL_SECCOMP_NUMBER)

/* Segments and queues of System V outlive their maker and count as nobody's memory. */
#define REFUSE_LASTING_MEMORY IF_EQUAL(SYS_shmget, 2, 0), IF_EQUAL(SYS_msgget, 1, 0), IF_EQUAL(SYS_semget, 0, 1), REFUSE(ENOSYS)

#if defined(__x86_64__)
#define REFUSE_X32 {KERNEL_BPF_JUMP_AT_LEAST, 0, 1, 0x40000000u}, REFUSE(ENOSYS)
#define REFUSE_FORK IF_EQUAL(SYS_fork, 1, 0), IF_EQUAL(SYS_vfork, 0, 1), REFUSE(EAGAIN)
#endif

/* Everything by which one process of a user ends or stops another, when its target is the supervisor: signals by pid, to its
 * group (-supervisor) or to all (-1), a handle on it, a limit of CPU time set from outside. A handle can also be had from
 * /proc, so signals by handle are refused altogether, as on kernels without; and a signal of choice for input and output
 * likewise, as it goes to whoever is named the owner. Ends the filter. */
#define IS_SIGNAL_CALL                                                                                                  \
  IF_EQUAL(SYS_kill, 6, 0), IF_EQUAL(SYS_tkill, 5, 0), IF_EQUAL(SYS_tgkill, 4, 0), IF_EQUAL(SYS_rt_sigqueueinfo, 3, 0), \
      IF_EQUAL(SYS_rt_tgsigqueueinfo, 2, 0), IF_EQUAL(SYS_pidfd_open, 1, 0), IF_EQUAL(SYS_prlimit64, 0, 6)
#define SPARE_SUPERVISOR(pid)                                                                                                 \
  IF_EQUAL(SYS_pidfd_send_signal, 0, 1), REFUSE(ENOSYS), IS_SIGNAL_CALL, LOAD(KERNEL_SECCOMP_ARGUMENT_0_LOW),                 \
      IF_EQUAL((uint32_t)(pid), 2, 0), IF_EQUAL(0u - (uint32_t)(pid), 1, 0), IF_EQUAL(UINT32_MAX, 0, 1), REFUSE(EPERM),       \
      RETURN(KERNEL_SECCOMP_ALLOW), IF_EQUAL(SYS_fcntl, 0, 3), LOAD(KERNEL_SECCOMP_ARGUMENT_1_LOW), IF_EQUAL(F_SETSIG, 0, 1), \
      REFUSE(EPERM), RETURN(KERNEL_SECCOMP_ALLOW)

static int install(const struct kernel_filter* filter, size_t length) {
  const struct kernel_filter_program program = {(unsigned short)length, filter};
  return prctl(PR_SET_SECCOMP, KERNEL_SECCOMP_FILTER_MODE, &program, 0, 0) == 0 ? 0 : errno;
}

int process_filter_install(int one_process, pid_t supervisor) {
  const struct kernel_filter one[] = {
    CHECK_ARCHITECTURE,
#if defined(__x86_64__)
    REFUSE_X32,
    REFUSE_FORK,
#endif
    REFUSE_LASTING_MEMORY,
    IF_EQUAL(SYS_clone3, 0, 1),
    REFUSE(ENOSYS),
    IF_EQUAL(SYS_clone, 0, 4),
    LOAD(KERNEL_SECCOMP_ARGUMENT_0_LOW),
    {KERNEL_BPF_JUMP_ANY_BIT, 1, 0, CLONE_THREAD},
    REFUSE(EAGAIN),
    RETURN(KERNEL_SECCOMP_ALLOW),
    SPARE_SUPERVISOR(supervisor),
  };
  const struct kernel_filter many[] = {
    CHECK_ARCHITECTURE,
#if defined(__x86_64__)
    REFUSE_X32,
#endif
    REFUSE_LASTING_MEMORY,
    SPARE_SUPERVISOR(supervisor),
  };
  return one_process ? install(one, sizeof one / sizeof one[0]) : install(many, sizeof many / sizeof many[0]);
}
