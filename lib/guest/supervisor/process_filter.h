/* The filter of level 0: limits that the kernel enforces (filter.md says which calls it refuses). */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_PROCESS_FILTER_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_PROCESS_FILTER_H_

#include <sys/types.h>

/* For the calling process from now on; needs no_new_privs. Returns 0 or an errno. */
int process_filter_install(int one_process, pid_t supervisor);

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_PROCESS_FILTER_H_ */
