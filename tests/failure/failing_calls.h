/* Failing calls: the seam between code under test and the C library. Programs are linked with -Wl,--wrap for every call in
 * failing_calls.c; while a plan is in force the calls that could fail its way are counted, and the Nth fails.
 *
 * In the host the plan is the calling thread's. The supervisor, which has no environment and no arguments of ours, finds it in
 * a file beside its own, and all its processes share it. */
#ifndef CONCLAVE_TESTS_FAILURE_FAILING_CALLS_H_
#define CONCLAVE_TESTS_FAILURE_FAILING_CALLS_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FAILING_PLAN_PIDS 64

enum failing_mode {
  FAILING_SHORT = 0,   /* something is used up or broken: EMFILE, ENOMEM, EAGAIN, ENOSPC, EIO */
  FAILING_INTERRUPTED, /* EINTR, where the kernel may say so */
  FAILING_FORBIDDEN    /* a filter or an older kernel: EPERM, ENOSYS */
};

struct failing_plan {
  int32_t mode;
  int32_t from_then_on; /* the Nth and every later one */
  int64_t fail_at;      /* N, from 1 */
  int64_t calls;        /* seen, that could fail in this mode */
  char failed[48];      /* the first that did fail */
  int32_t spawned;      /* processes that posix_spawn started, the last of them here */
  int32_t pids[FAILING_PLAN_PIDS];
};

#define FAILING_PLAN_SUFFIX ".plan" /* of the file beside the supervisor's own */

/* From now on for the calling thread; NULL ends it. */
void failing_calls_follow(struct failing_plan* plan);

#ifdef __cplusplus
}
#endif

#endif /* CONCLAVE_TESTS_FAILURE_FAILING_CALLS_H_ */
