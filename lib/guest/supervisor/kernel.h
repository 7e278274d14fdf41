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
#ifndef SYS_landlock_add_rule
#define SYS_landlock_add_rule 445
#endif
#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446
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

/* mount_setattr(2) */
struct kernel_mount_attributes {
  uint64_t set;
  uint64_t clear;
  uint64_t propagation;
  uint64_t user_namespace;
};
#define KERNEL_AT_RECURSIVE 0x8000u
#define KERNEL_MOUNT_READ_ONLY 0x1u
#define KERNEL_MOUNT_NO_SUID 0x2u
#define KERNEL_MOUNT_NO_DEVICES 0x4u

/* landlock(7). Each version of the interface knows the rights of those before it. */
struct kernel_landlock_ruleset {
  uint64_t handled_file_rights;
  uint64_t handled_network_rights; /* since version 4 */
  uint64_t scopes;                 /* since version 6 */
};
struct kernel_landlock_path_rule {
  uint64_t rights;
  int32_t place;
} __attribute__((packed));
#define KERNEL_LANDLOCK_VERSION_QUERY 1u
#define KERNEL_LANDLOCK_PATH_BENEATH 1
#define KERNEL_LANDLOCK_EXECUTE (1u << 0)
#define KERNEL_LANDLOCK_WRITE_FILE (1u << 1)
#define KERNEL_LANDLOCK_READ_FILE (1u << 2)
#define KERNEL_LANDLOCK_READ_DIR (1u << 3)
#define KERNEL_LANDLOCK_MAKE_CHAR (1u << 6)
#define KERNEL_LANDLOCK_MAKE_BLOCK (1u << 11)
#define KERNEL_LANDLOCK_RIGHTS_1 0x1fffu /* all of version 1 */
#define KERNEL_LANDLOCK_REFER (1u << 13)
#define KERNEL_LANDLOCK_TRUNCATE (1u << 14)
#define KERNEL_LANDLOCK_IOCTL_DEVICE (1u << 15)
#define KERNEL_LANDLOCK_TCP 0x3u    /* bind and connect */
#define KERNEL_LANDLOCK_SCOPES 0x3u /* abstract sockets and signals */

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_KERNEL_H_ */
