/* Limits that the kernel enforces. Refused is memory that would outlive the run (System V segments and queues) or that nobody
 * counts (lib/sandbox/uncounted.md has the list), namespaces and mounts of the program's own, and with a limit of one process
 * new processes, while new threads are not. The supervisor, which watches the limits, is out of the program's reach also where
 * both are one user's. These are the limits' teeth, not a filter against hostile system calls. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_PROCESS_FILTER_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_PROCESS_FILTER_H_

#include <sys/types.h>

/* For the calling process from now on; needs no_new_privs. Returns 0 or an errno. */
int process_filter_install(int one_process, pid_t supervisor);

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_PROCESS_FILTER_H_ */
