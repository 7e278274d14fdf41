#include "lib/guest/supervisor/filter_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>

/* Fixed kernel ABI that a C library may have no name for. */
enum {
  KERNEL_F_SETSIG = 10,
  KERNEL_F_GETSIG = 11,
  KERNEL_F_GETOWN_EX = 16,
  KERNEL_F_OFD_GETLK = 36,
  KERNEL_F_OFD_SETLK = 37,
  KERNEL_F_OFD_SETLKW = 38,
  KERNEL_F_GETLEASE = 1025,
  KERNEL_F_DUPFD_QUERY = 1027,
  KERNEL_F_CREATED_QUERY = 1028,
  KERNEL_F_GETPIPE_SZ = 1032,
  KERNEL_F_ADD_SEALS = 1033,
  KERNEL_F_GET_SEALS = 1034,
  KERNEL_CLOSE_RANGE_UNSHARE = 2,
  KERNEL_TIOCLINUX = 0x541c,
  KERNEL_PR_SET_PTRACER = 0x59616d61,
  KERNEL_PR_SET_VMA = 0x53564d41,
};
#define KERNEL_TCGETS2 0x802c542au

/* Namespaces that clone can make; the one of time, which clone3 and unshare alone can make, shares its bit with a signal. */
#define NEW_NAMESPACE \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

#define ALLOW \
  { FILTER_ALLOW, FILTER_ALWAYS, 0 }
#define REFUSE(error) \
  { FILTER_REFUSE, FILTER_ALWAYS, error }
#define REFUSE_UNLESS(what, error) \
  { FILTER_REFUSE, FILTER_UNLESS_##what, error }
#define KILL \
  { FILTER_KILL, FILTER_ALWAYS, 0 }
#define CHECK(name) \
  { FILTER_CHECK, FILTER_ALWAYS, FILTER_CHECK_##name }

#define IF_EQUAL(argument, value, ...) \
  { argument, FILTER_EQUAL, FILTER_VALUE, (uint32_t)(value), __VA_ARGS__ }
#define IF_NOT_EQUAL(argument, value, ...) \
  { argument, FILTER_NOT_EQUAL, FILTER_VALUE, (uint32_t)(value), __VA_ARGS__ }
#define IF_ANY_BIT(argument, bits, ...) \
  { argument, FILTER_ANY_BIT, FILTER_VALUE, (uint32_t)(bits), __VA_ARGS__ }
#define IF_NO_BIT(argument, bits, ...) \
  { argument, FILTER_NO_BIT, FILTER_VALUE, (uint32_t)(bits), __VA_ARGS__ }
#define IF_PID(argument, whose, ...) \
  { argument, FILTER_EQUAL, FILTER_##whose, 0, __VA_ARGS__ }

static const struct filter_question kClone[] = {
    IF_ANY_BIT(0, NEW_NAMESPACE, REFUSE(EPERM)),
    IF_NO_BIT(0, CLONE_THREAD, REFUSE_UNLESS(SEVERAL, EAGAIN)),
    IF_NO_BIT(0, CLONE_FILES, REFUSE(EPERM)),
};

static const struct filter_question kSharedMemory[] = {
    IF_NO_BIT(3, MAP_ANONYMOUS, ALLOW),
    IF_ANY_BIT(3, MAP_SHARED, REFUSE(EPERM)),
};

static const struct filter_question kCloseRange[] = {IF_ANY_BIT(2, KERNEL_CLOSE_RANGE_UNSHARE, REFUSE(EPERM))};

static const struct filter_question kFcntlSignal[] = {IF_EQUAL(1, KERNEL_F_SETSIG, REFUSE(EPERM))};

/* Not among them: F_SETSIG, F_SETOWN and F_SETOWN_EX (signals to others), F_SETPIPE_SZ (memory of the kernel), F_NOTIFY and
 * F_SETLEASE (signals when others use their files). */
static const struct filter_question kFcntl[] = {
    IF_EQUAL(1, F_DUPFD, ALLOW),
    IF_EQUAL(1, F_DUPFD_CLOEXEC, ALLOW),
    IF_EQUAL(1, F_GETFD, ALLOW),
    IF_EQUAL(1, F_SETFD, ALLOW),
    IF_EQUAL(1, F_GETFL, ALLOW),
    IF_EQUAL(1, F_SETFL, ALLOW),
    IF_EQUAL(1, F_GETLK, ALLOW),
    IF_EQUAL(1, F_SETLK, ALLOW),
    IF_EQUAL(1, F_SETLKW, ALLOW),
    IF_EQUAL(1, KERNEL_F_OFD_GETLK, ALLOW),
    IF_EQUAL(1, KERNEL_F_OFD_SETLK, ALLOW),
    IF_EQUAL(1, KERNEL_F_OFD_SETLKW, ALLOW),
    IF_EQUAL(1, F_GETOWN, ALLOW),
    IF_EQUAL(1, KERNEL_F_GETOWN_EX, ALLOW),
    IF_EQUAL(1, KERNEL_F_GETSIG, ALLOW),
    IF_EQUAL(1, KERNEL_F_GETLEASE, ALLOW),
    IF_EQUAL(1, KERNEL_F_DUPFD_QUERY, ALLOW),
    IF_EQUAL(1, KERNEL_F_CREATED_QUERY, ALLOW),
    IF_EQUAL(1, KERNEL_F_GETPIPE_SZ, ALLOW),
    IF_EQUAL(1, KERNEL_F_ADD_SEALS, ALLOW),
    IF_EQUAL(1, KERNEL_F_GET_SEALS, ALLOW),
};

/* Typing into a terminal from inside is refused by name, so that nobody takes it for a matter of the descriptor. */
static const struct filter_question kIoctl[] = {
    IF_EQUAL(1, TCGETS, ALLOW),          IF_EQUAL(1, KERNEL_TCGETS2, ALLOW),
    IF_EQUAL(1, TIOCGWINSZ, ALLOW),      IF_EQUAL(1, TIOCGPGRP, ALLOW),
    IF_EQUAL(1, FIONREAD, ALLOW),        IF_EQUAL(1, FIONBIO, ALLOW),
    IF_EQUAL(1, FIOCLEX, ALLOW),         IF_EQUAL(1, FIONCLEX, ALLOW),
    IF_EQUAL(1, TIOCSTI, REFUSE(EPERM)), IF_EQUAL(1, KERNEL_TIOCLINUX, REFUSE(EPERM)),
};

static const struct filter_question kPrctlDumpable[] = {IF_EQUAL(0, PR_SET_DUMPABLE, REFUSE(EPERM))};

/* Numbers where headers older than the kernel may lack the name. The signal at the parent's death may be set to the one that
 * the supervisor sets, and not be taken back. */
static const struct filter_question kPrctl[] = {
    IF_EQUAL(0, PR_SET_NAME, ALLOW),
    IF_EQUAL(0, PR_GET_NAME, ALLOW),
    IF_EQUAL(0, KERNEL_PR_SET_VMA, ALLOW),
    IF_EQUAL(0, PR_GET_DUMPABLE, ALLOW),
    IF_EQUAL(0, PR_GET_PDEATHSIG, ALLOW),
    IF_EQUAL(0, PR_GET_KEEPCAPS, ALLOW),
    IF_EQUAL(0, PR_GET_SECCOMP, ALLOW),
    IF_EQUAL(0, PR_CAPBSET_READ, ALLOW),
    IF_EQUAL(0, PR_GET_TSC, ALLOW),
    IF_EQUAL(0, PR_GET_SECUREBITS, ALLOW),
    IF_EQUAL(0, PR_SET_TIMERSLACK, ALLOW),
    IF_EQUAL(0, PR_GET_TIMERSLACK, ALLOW),
    IF_EQUAL(0, PR_GET_CHILD_SUBREAPER, ALLOW),
    IF_EQUAL(0, PR_SET_NO_NEW_PRIVS, ALLOW),
    IF_EQUAL(0, PR_GET_NO_NEW_PRIVS, ALLOW),
    IF_EQUAL(0, PR_GET_TID_ADDRESS, ALLOW),
    IF_EQUAL(0, PR_SET_THP_DISABLE, ALLOW),
    IF_EQUAL(0, PR_GET_THP_DISABLE, ALLOW),
    IF_EQUAL(0, 47 /* PR_CAP_AMBIENT */, ALLOW),
    IF_EQUAL(0, 50 /* PR_SVE_SET_VL */, ALLOW),
    IF_EQUAL(0, 51 /* PR_SVE_GET_VL */, ALLOW),
    IF_EQUAL(0, 52 /* PR_GET_SPECULATION_CTRL */, ALLOW),
    IF_EQUAL(0, 53 /* PR_SET_SPECULATION_CTRL */, ALLOW),
    IF_EQUAL(0, 54 /* PR_PAC_RESET_KEYS */, ALLOW),
    IF_EQUAL(0, 55 /* PR_SET_TAGGED_ADDR_CTRL */, ALLOW),
    IF_EQUAL(0, 56 /* PR_GET_TAGGED_ADDR_CTRL */, ALLOW),
    IF_EQUAL(0, 60 /* PR_PAC_SET_ENABLED_KEYS */, ALLOW),
    IF_EQUAL(0, 61 /* PR_PAC_GET_ENABLED_KEYS */, ALLOW),
    IF_EQUAL(0, 65 /* PR_SET_MDWE */, ALLOW),
    IF_EQUAL(0, 66 /* PR_GET_MDWE */, ALLOW),
    IF_EQUAL(0, PR_SET_DUMPABLE, REFUSE(EPERM)),
    IF_EQUAL(0, KERNEL_PR_SET_PTRACER, REFUSE(EPERM)),
    IF_EQUAL(0, PR_SET_SECCOMP, REFUSE_UNLESS(CONFINING, EPERM)),
    IF_NOT_EQUAL(0, PR_SET_PDEATHSIG, REFUSE(EINVAL)),
    IF_EQUAL(1, SIGKILL, ALLOW),
};

static const struct filter_question kPersonality[] = {IF_EQUAL(0, UINT32_MAX, ALLOW)};

static const struct filter_question kSpareSupervisor[] = {
    IF_PID(0, SUPERVISOR, REFUSE(EPERM)),
    IF_PID(0, SUPERVISOR_GROUP, REFUSE(EPERM)),
    IF_EQUAL(0, UINT32_MAX, REFUSE(EPERM)),
};

/* 0 is the caller, or its group, which holds nobody else as the run leads a session of its own. */
static const struct filter_question kSignal[] = {
    IF_PID(0, SUPERVISOR, REFUSE(EPERM)),   IF_PID(0, SUPERVISOR_GROUP, REFUSE(EPERM)),
    IF_EQUAL(0, UINT32_MAX, REFUSE(EPERM)), IF_PID(0, SELF, ALLOW),
    IF_PID(0, SELF_GROUP, ALLOW),           IF_EQUAL(0, 0, ALLOW),
};

static const struct filter_question kLimits[] = {IF_EQUAL(0, 0, ALLOW), IF_PID(0, SELF, ALLOW)};

#define QUESTIONS(list) (list), sizeof(list) / sizeof(list)[0]

static const struct filter_check kChecks[FILTER_CHECKS] = {
    [FILTER_CHECK_CLONE] = {QUESTIONS(kClone), ALLOW},
    [FILTER_CHECK_SHARED_MEMORY] = {QUESTIONS(kSharedMemory), ALLOW},
    [FILTER_CHECK_CLOSE_RANGE] = {QUESTIONS(kCloseRange), ALLOW},
    [FILTER_CHECK_FCNTL_SIGNAL] = {QUESTIONS(kFcntlSignal), ALLOW},
    [FILTER_CHECK_FCNTL] = {QUESTIONS(kFcntl), REFUSE(EPERM)},
    [FILTER_CHECK_IOCTL] = {QUESTIONS(kIoctl), REFUSE(ENOTTY)},
    [FILTER_CHECK_PRCTL_DUMPABLE] = {QUESTIONS(kPrctlDumpable), ALLOW},
    [FILTER_CHECK_PRCTL] = {QUESTIONS(kPrctl), REFUSE(EPERM)},
    [FILTER_CHECK_PERSONALITY] = {QUESTIONS(kPersonality), REFUSE(EPERM)},
    [FILTER_CHECK_SPARE_SUPERVISOR] = {QUESTIONS(kSpareSupervisor), ALLOW},
    [FILTER_CHECK_SIGNAL] = {QUESTIONS(kSignal), REFUSE_UNLESS(UNKNOWN, EPERM)},
    [FILTER_CHECK_LIMITS] = {QUESTIONS(kLimits), REFUSE(EPERM)},
};

#define ABSENT FILTER_ABSENT
#define CALL(name, x86_64, arm64, level_0, level_1) {#name, {x86_64, arm64}, {level_0, level_1}},
static const struct filter_call kCalls[] = {
#include "lib/guest/supervisor/filter_calls.def"
};

const struct filter_call* filter_calls(size_t* count) {
  *count = sizeof kCalls / sizeof kCalls[0];
  return kCalls;
}

const struct filter_check* filter_check_of(unsigned name) { return &kChecks[name]; }

struct filter_rule filter_rule_for_unknown(int level) {
  const struct filter_rule rules[FILTER_LEVELS] = {ALLOW, REFUSE(ENOSYS)};
  return rules[level];
}

/* 32-bit system calls from a 64-bit program: no honest one makes any. */
struct filter_rule filter_rule_for_foreign(int level) {
  const struct filter_rule rules[FILTER_LEVELS] = {REFUSE(ENOSYS), KILL};
  return rules[level];
}
