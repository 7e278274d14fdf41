/* The limit of one process, enforced by the kernel: new processes are refused, new threads are not.
 * This is the process limit's teeth, not a filter against hostile system calls. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_PROCESS_FILTER_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_PROCESS_FILTER_H_

/* For the calling process from now on; needs no_new_privs. Returns 0 or an errno. */
int process_filter_install(void);

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_PROCESS_FILTER_H_ */
