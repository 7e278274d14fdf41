#include "lib/guest/supervisor/process_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "lib/guest/supervisor/kernel.h"

enum { FILTER_CAPACITY = 160 };

struct filter {
  struct kernel_filter steps[FILTER_CAPACITY];
  size_t count;
};

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

/* What is refused whatever its arguments are. A refusal is an error number and never a kill: `import pandas` tries to run
 * `uname -p` and goes on without it. clone3 hides its flags behind a pointer, so it answers "no such system call", upon which
 * C libraries fall back to clone. */
static const struct {
  uint32_t number;
  uint32_t error;
} kRefused[] = {
    /* Segments and queues of System V outlive their maker and count as nobody's memory. */
    {SYS_shmget, ENOSYS},
    {SYS_msgget, ENOSYS},
    {SYS_semget, ENOSYS},
    /* A user namespace of its own makes a program root there, and a mount in it is memory that nobody counts. Without one
     * the other calls lack their capability already; a host that is root of a container is not to depend on that. */
    {SYS_unshare, EPERM},
    {SYS_setns, EPERM},
    {SYS_clone3, ENOSYS},
    {SYS_mount, EPERM},
    {SYS_umount2, EPERM},
    {SYS_pivot_root, EPERM},
    {SYS_chroot, EPERM},
    {SYS_open_tree, EPERM},
    {SYS_move_mount, EPERM},
    {SYS_fsopen, EPERM},
    {SYS_fsmount, EPERM},
    {SYS_mount_setattr, EPERM},
    /* Files in memory count only while a descriptor shows them, and any file can wait in a socket where none does. What is in
     * the buffers of sockets counts nowhere either, so there are none of any family. */
    {SYS_memfd_create, ENOSYS},
    {SYS_memfd_secret, ENOSYS},
    {SYS_socket, EACCES},
    {SYS_socketpair, EACCES},
    /* More places where files and pages are held unseen: registered with a ring, or by reference in a pipe, where one byte
     * holds a whole huge page. Programs copy by read and write when the kernel has no such call. */
    {SYS_io_uring_setup, ENOSYS},
    {SYS_splice, ENOSYS},
    {SYS_vmsplice, ENOSYS},
    {SYS_tee, ENOSYS},
    {SYS_sendfile, ENOSYS},
    /* Objects of the kernel that grow by megabytes for each descriptor: queues of events, maps, rules. */
    {SYS_inotify_init1, ENOSYS},
    {SYS_fanotify_init, ENOSYS},
    {SYS_bpf, EPERM},
    {SYS_landlock_create_ruleset, ENOSYS},
    /* Names its process in another place than the calls of SPARE_SUPERVISOR, and a program has no use for it. */
    {SYS_setpriority, EPERM},
#if defined(__x86_64__)
    {SYS_inotify_init, ENOSYS},
#endif
};

/* The x32 entries and the old names of clone exist on x86-64 alone. */
#if defined(__x86_64__)
#define REFUSE_X32 {KERNEL_BPF_JUMP_AT_LEAST, 0, 1, 0x40000000u}, REFUSE(ENOSYS)
#define REFUSE_FORK IF_EQUAL(SYS_fork, 1, 0), IF_EQUAL(SYS_vfork, 0, 1), REFUSE(EAGAIN)
#endif

/* Namespaces that clone can make; the one of time, which clone3 and unshare alone can make, shares its bit with a signal. */
#define NEW_NAMESPACE \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#define IF_ANY_BIT(bits, skip_true, skip_false) \
  { KERNEL_BPF_JUMP_ANY_BIT, skip_true, skip_false, bits }
/* New threads are allowed when they share their descriptors, as the watchdog looks at one thread's, and new processes as
 * `verdict` says. */
#define CHECK_CLONE(verdict)                                                                                      \
  IF_EQUAL(SYS_clone, 0, 8), LOAD(KERNEL_SECCOMP_ARGUMENT_0_LOW), IF_ANY_BIT(NEW_NAMESPACE, 0, 1), REFUSE(EPERM), \
      IF_ANY_BIT(CLONE_THREAD, 1, 0), RETURN(verdict), IF_ANY_BIT(CLONE_FILES, 1, 0), REFUSE(EPERM),              \
      RETURN(KERNEL_SECCOMP_ALLOW)

/* A call that is refused when its argument is, or has a bit of, something. */
#define REFUSE_EQUAL(number, argument, value) \
  IF_EQUAL(number, 0, 4), LOAD(argument), IF_EQUAL(value, 0, 1), REFUSE(EPERM), RETURN(KERNEL_SECCOMP_ALLOW)
#define REFUSE_ANY_BIT(number, argument, bits) \
  IF_EQUAL(number, 0, 4), LOAD(argument), IF_ANY_BIT(bits, 0, 1), REFUSE(EPERM), RETURN(KERNEL_SECCOMP_ALLOW)

/* Shared memory without a file stays whole, and uncounted, when all of it but a page is unmapped again. */
#define REFUSE_SHARED_MEMORY                                                                      \
  IF_EQUAL(SYS_mmap, 0, 5), LOAD(KERNEL_SECCOMP_ARGUMENT_3_LOW), IF_ANY_BIT(MAP_ANONYMOUS, 0, 2), \
      IF_ANY_BIT(MAP_SHARED, 0, 1), REFUSE(EPERM), RETURN(KERNEL_SECCOMP_ALLOW)

/* Everything by which one process of a user ends or stops another, when its target is the supervisor: signals by pid, to its
 * group (-supervisor) or to all (-1), a handle on it, a limit of CPU time set from outside, a place in the scheduler where it
 * would starve. A handle can also be had from
 * /proc, so signals by handle are refused altogether, as on kernels without; and a signal of choice for input and output
 * likewise, as it goes to whoever is named the owner. Ends the filter. */
#define IS_SIGNAL_CALL                                                                                                        \
  IF_EQUAL(SYS_sched_setscheduler, 10, 0), IF_EQUAL(SYS_sched_setparam, 9, 0), IF_EQUAL(SYS_sched_setattr, 8, 0),             \
      IF_EQUAL(SYS_sched_setaffinity, 7, 0), IF_EQUAL(SYS_kill, 6, 0), IF_EQUAL(SYS_tkill, 5, 0), IF_EQUAL(SYS_tgkill, 4, 0), \
      IF_EQUAL(SYS_rt_sigqueueinfo, 3, 0), IF_EQUAL(SYS_rt_tgsigqueueinfo, 2, 0), IF_EQUAL(SYS_pidfd_open, 1, 0),             \
      IF_EQUAL(SYS_prlimit64, 0, 6)
#define SPARE_SUPERVISOR(pid)                                                                                           \
  IF_EQUAL(SYS_pidfd_send_signal, 0, 1), REFUSE(ENOSYS), IS_SIGNAL_CALL, LOAD(KERNEL_SECCOMP_ARGUMENT_0_LOW),           \
      IF_EQUAL((uint32_t)(pid), 2, 0), IF_EQUAL(0u - (uint32_t)(pid), 1, 0), IF_EQUAL(UINT32_MAX, 0, 1), REFUSE(EPERM), \
      RETURN(KERNEL_SECCOMP_ALLOW), REFUSE_EQUAL(SYS_fcntl, KERNEL_SECCOMP_ARGUMENT_1_LOW, F_SETSIG),                   \
      RETURN(KERNEL_SECCOMP_ALLOW)

#define APPEND(filter, ...)                                  \
  do {                                                       \
    const struct kernel_filter steps[] = {__VA_ARGS__};      \
    append((filter), steps, sizeof steps / sizeof steps[0]); \
  } while (0)

static void append(struct filter* filter, const struct kernel_filter* steps, size_t count) {
  if (filter->count + count <= FILTER_CAPACITY) memcpy(filter->steps + filter->count, steps, count * sizeof *steps);
  filter->count += count;
}

int process_filter_install(int one_process, pid_t supervisor) {
  struct filter filter;
  filter.count = 0;
  APPEND(&filter, CHECK_ARCHITECTURE);
#if defined(__x86_64__)
  APPEND(&filter, REFUSE_X32);
  if (one_process) APPEND(&filter, REFUSE_FORK);
#endif
  for (size_t i = 0; i < sizeof kRefused / sizeof kRefused[0]; ++i) {
    APPEND(&filter, IF_EQUAL(kRefused[i].number, 0, 1), REFUSE(kRefused[i].error));
  }
  APPEND(&filter, CHECK_CLONE(one_process ? KERNEL_SECCOMP_ERRNO | EAGAIN : KERNEL_SECCOMP_ALLOW));
  APPEND(&filter, REFUSE_SHARED_MEMORY);
  APPEND(&filter, REFUSE_ANY_BIT(SYS_close_range, KERNEL_SECCOMP_ARGUMENT_2_LOW, KERNEL_CLOSE_RANGE_UNSHARE));
  /* Would hide its descriptors from a supervisor that is an ordinary user. */
  APPEND(&filter, REFUSE_EQUAL(SYS_prctl, KERNEL_SECCOMP_ARGUMENT_0_LOW, PR_SET_DUMPABLE));
  APPEND(&filter, SPARE_SUPERVISOR(supervisor));
  if (filter.count > FILTER_CAPACITY) return E2BIG;
  const struct kernel_filter_program program = {(unsigned short)filter.count, filter.steps};
  return prctl(PR_SET_SECCOMP, KERNEL_SECCOMP_FILTER_MODE, &program, 0, 0) == 0 ? 0 : errno;
}
