/* Puts a filter of system calls on the calling thread, for good and for all it starts.
 *
 * Thread safety: filters the calling thread alone; call it while that is the process's only one. Allocates nothing and takes no
 * lock, so it may run between fork or vfork and exec. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_FILTER_INSTALL_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_FILTER_INSTALL_H_

#include "lib/guest/supervisor/filter_compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Needs no_new_privs. What the caller has yet to set up must be done before: rulesets of Landlock, namespaces,
 * PR_SET_PDEATHSIG. At level 1 the caller must lead a process group of its own, as signals to that stay allowed. A filter that
 * is there already stays in force beside this one; when it is of level 1 it must have been made `confining`. Returns 0 or an
 * errno: EINVAL and E2BIG as filter_compile, ENOSYS and EINVAL from a kernel without filters, EACCES without no_new_privs,
 * EPERM from another filter. */
int filter_install(const struct filter_options* options);

#ifdef __cplusplus
}
#endif

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_FILTER_INSTALL_H_ */
