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

/* Another architecture's numbers (32-bit system calls from a 64-bit program) mean other things: none are served. */
#define CHECK_ARCHITECTURE \
  LOAD(KERNEL_SECCOMP_ARCHITECTURE), IF_EQUAL(KERNEL_ARCHITECTURE, 1, 0), REFUSE(ENOSYS), LOAD(KERNEL_SECCOMP_NUMBER)

/* Segments and queues of System V outlive their maker and count as nobody's memory. */
#define REFUSE_LASTING_MEMORY IF_EQUAL(SYS_shmget, 2, 0), IF_EQUAL(SYS_msgget, 1, 0), IF_EQUAL(SYS_semget, 0, 1), REFUSE(ENOSYS)

#if defined(__x86_64__)
#define REFUSE_X32 {KERNEL_BPF_JUMP_AT_LEAST, 0, 1, 0x40000000u}, REFUSE(ENOSYS)
#define REFUSE_FORK IF_EQUAL(SYS_fork, 1, 0), IF_EQUAL(SYS_vfork, 0, 1), REFUSE(EAGAIN)
#endif

static const struct kernel_filter kOneProcess[] = {
    CHECK_ARCHITECTURE,
#if defined(__x86_64__)
    REFUSE_X32,
    REFUSE_FORK,
#endif
    REFUSE_LASTING_MEMORY,
    IF_EQUAL(SYS_clone3, 0, 1),
    REFUSE(ENOSYS),
    IF_EQUAL(SYS_clone, 0, 3),
    LOAD(KERNEL_SECCOMP_ARGUMENT_0_LOW),
    {KERNEL_BPF_JUMP_ANY_BIT, 1, 0, CLONE_THREAD},
    REFUSE(EAGAIN),
    RETURN(KERNEL_SECCOMP_ALLOW),
};

static const struct kernel_filter kManyProcesses[] = {
    CHECK_ARCHITECTURE,
#if defined(__x86_64__)
    REFUSE_X32,
#endif
    REFUSE_LASTING_MEMORY,
    RETURN(KERNEL_SECCOMP_ALLOW),
};

int process_filter_install(int one_process) {
  const struct kernel_filter_program one = {sizeof kOneProcess / sizeof kOneProcess[0], kOneProcess};
  const struct kernel_filter_program many = {sizeof kManyProcesses / sizeof kManyProcesses[0], kManyProcesses};
  return prctl(PR_SET_SECCOMP, KERNEL_SECCOMP_FILTER_MODE, one_process ? &one : &many, 0, 0) == 0 ? 0 : errno;
}
