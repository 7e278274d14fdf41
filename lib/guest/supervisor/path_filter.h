/* Which paths a run may use (Landlock), from level 1 on. Rules are masked to what the kernel knows. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_PATH_FILTER_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_PATH_FILTER_H_

#include "lib/guest/supervisor/lock.h"

/* For the calling process from now on; needs no_new_privs and the private folder as working folder. Proves the scope of signals
 * at once, because the filter of system calls, which comes later, refuses them as well. Returns 0 or an errno. */
int path_filter_install(struct lock* lock);

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_PATH_FILTER_H_ */
