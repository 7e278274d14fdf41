/* From the rules of a level to a program for seccomp(2): a binary tree over the calls' numbers, so that a lookup takes a
 * handful of comparisons, with the questions about arguments at its leaves. Pure: the same options give the same bytes, for
 * either architecture on any machine; nothing is allocated and no state is kept.
 *
 * Thread safety: may be called concurrently. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_FILTER_COMPILER_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_FILTER_COMPILER_H_

#include <stddef.h>
#include <sys/types.h>

#include "lib/guest/supervisor/filter_bpf.h"
#include "lib/guest/supervisor/filter_rules.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroes are a filter of level 0 for a program that may have several processes and whose supervisor is in no need of sparing.
 */
struct filter_options {
  int level;        /* 0 or 1 */
  int one_process;  /* new processes are refused with EAGAIN, new threads are not */
  pid_t self;       /* the process's own pid as getpid() says there; 0: unknown. Level 1 then cannot tell others from it */
  pid_t supervisor; /* whom signals and the scheduler must not reach; 0: nobody */
  int confining;    /* a trusted parent of programs: seccomp, landlock and unshare stay, so that it can confine its children */
};

enum { FILTER_CAPACITY = 320 };

struct filter_program {
  size_t count;
  struct filter_step steps[FILTER_CAPACITY];
};

/* Returns 0; EINVAL for options out of range; E2BIG when the table or the program has outgrown its fixed size, which is a
 * mistake of the table's and not of the caller's. */
int filter_compile(const struct filter_options* options, enum filter_architecture architecture, struct filter_program* program);

#ifdef __cplusplus
}
#endif

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_FILTER_COMPILER_H_ */
