/* The resource limits the kernel itself enforces on each process of a run. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_RLIMITS_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_RLIMITS_H_

#include "lib/guest/supervisor/lock.h"

/* Applies to the calling process. Returns 0, or an errno with `lock->what` naming the limit. */
int rlimits_apply(struct lock* lock);

/* 0 when every limit of the calling process is at most what the policy says, else EPERM; says so in `detail`. */
int rlimits_prove(const struct lock* lock, char* detail, unsigned long detail_size);

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_RLIMITS_H_ */
