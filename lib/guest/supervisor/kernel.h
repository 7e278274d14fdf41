/* Kernel interfaces that a small C library has no headers for. Values are fixed kernel ABI. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_KERNEL_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_KERNEL_H_

#include <stdint.h>
#include <sys/syscall.h>

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif
#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#ifndef SYS_move_mount
#define SYS_move_mount 429
#endif
#ifndef SYS_fsopen
#define SYS_fsopen 430
#endif
#ifndef SYS_fsmount
#define SYS_fsmount 432
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
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
#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

#define KERNEL_EXEC_EMPTY_PATH 0x1000 /* AT_EMPTY_PATH */
#define KERNEL_CLOSE_RANGE_UNSHARE 2u /* CLOSE_RANGE_UNSHARE */

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

/* seccomp(2), classic BPF */
struct kernel_filter {
  uint16_t code;
  uint8_t jump_true;
  uint8_t jump_false;
  uint32_t k;
};
struct kernel_filter_program {
  unsigned short length;
  const struct kernel_filter* filter;
};
#define KERNEL_BPF_LOAD 0x20u          /* BPF_LD | BPF_W | BPF_ABS */
#define KERNEL_BPF_JUMP_EQUAL 0x15u    /* BPF_JMP | BPF_JEQ | BPF_K */
#define KERNEL_BPF_JUMP_AT_LEAST 0x35u /* BPF_JMP | BPF_JGE | BPF_K */
#define KERNEL_BPF_JUMP_ANY_BIT 0x45u  /* BPF_JMP | BPF_JSET | BPF_K */
#define KERNEL_BPF_RETURN 0x06u        /* BPF_RET | BPF_K */
#define KERNEL_SECCOMP_ALLOW 0x7fff0000u
#define KERNEL_SECCOMP_ERRNO 0x00050000u
#define KERNEL_SECCOMP_FILTER_MODE 2
/* offsets in struct seccomp_data; arguments are 64 bits wide, low half first on little-endian machines */
#define KERNEL_SECCOMP_NUMBER 0u
#define KERNEL_SECCOMP_ARCHITECTURE 4u
#define KERNEL_SECCOMP_ARGUMENT_0_LOW 16u
#define KERNEL_SECCOMP_ARGUMENT_1_LOW 24u
#define KERNEL_SECCOMP_ARGUMENT_2_LOW 32u
#define KERNEL_SECCOMP_ARGUMENT_3_LOW 40u

#if defined(__x86_64__)
#define KERNEL_ARCHITECTURE 0xc000003eu
#elif defined(__aarch64__)
#define KERNEL_ARCHITECTURE 0xc00000b7u
#else
#error "the supervisor is written for x86-64 and arm64"
#endif

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_KERNEL_H_ */
