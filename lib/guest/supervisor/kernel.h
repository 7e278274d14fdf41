/* Kernel interfaces that a small C library has no headers for. Values are fixed kernel ABI. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_KERNEL_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_KERNEL_H_

#include <stdint.h>
#include <sys/syscall.h>

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif

#define KERNEL_EXEC_EMPTY_PATH 0x1000 /* AT_EMPTY_PATH */

/* capset(2), version 3 */
#define KERNEL_CAPABILITY_VERSION 0x20080522u
struct kernel_capability_header {
  uint32_t version;
  int pid;
};
struct kernel_capability_set {
  uint32_t effective;
  uint32_t permitted;
  uint32_t inheritable;
};

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_KERNEL_H_ */
