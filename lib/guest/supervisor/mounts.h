/* The run's own file tree, from level 2 on: what it may read, the private folder, devices without a state, and /proc of its own
 * processes. Everything else of the machine has no name in it. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_MOUNTS_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_MOUNTS_H_

#include "lib/guest/supervisor/lock.h"

/* In a new mount namespace, with its capabilities. Makes the tree and enters it. Returns 0, or an errno with `what` set. */
int mounts_make(struct lock* lock);

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_MOUNTS_H_ */
