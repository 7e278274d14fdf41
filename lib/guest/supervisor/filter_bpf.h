/* The machine that seccomp(2) programs run on, as fixed kernel ABI: classic BPF over one record for each system call. A small C
 * library has no headers for it. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_FILTER_BPF_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_FILTER_BPF_H_

#include <stdint.h>

/* struct sock_filter. Jumps skip that many steps. */
struct filter_step {
  uint16_t code;
  uint8_t jump_true;
  uint8_t jump_false;
  uint32_t k;
};

enum filter_code {
  FILTER_LOAD = 0x20,          /* BPF_LD | BPF_W | BPF_ABS: the 32 bits at offset k of the record */
  FILTER_JUMP = 0x05,          /* BPF_JMP | BPF_JA: skips k steps */
  FILTER_JUMP_EQUAL = 0x15,    /* BPF_JMP | BPF_JEQ | BPF_K */
  FILTER_JUMP_AT_LEAST = 0x35, /* BPF_JMP | BPF_JGE | BPF_K, unsigned */
  FILTER_JUMP_ANY_BIT = 0x45,  /* BPF_JMP | BPF_JSET | BPF_K */
  FILTER_RETURN = 0x06,        /* BPF_RET | BPF_K */
};

/* What a program returns. Killing the process is known since Linux 4.14. */
#define FILTER_RETURN_ALLOW 0x7fff0000u
#define FILTER_RETURN_ERRNO 0x00050000u /* | errno */
#define FILTER_RETURN_KILL 0x80000000u  /* the process ends by SIGSYS */

/* struct seccomp_data: number, architecture, instruction pointer, six arguments of 64 bits each, low half first on the two
 * architectures here, which are little-endian. */
#define FILTER_OFFSET_NUMBER 0u
#define FILTER_OFFSET_ARCHITECTURE 4u
#define FILTER_OFFSET_ARGUMENT_LOW(index) (16u + 8u * (uint32_t)(index))
#define FILTER_RECORD_BYTES 64u

#define FILTER_AUDIT_X86_64 0xc000003eu /* AUDIT_ARCH_X86_64 */
#define FILTER_AUDIT_ARM64 0xc00000b7u  /* AUDIT_ARCH_AARCH64 */
#define FILTER_X32_BIT 0x40000000u      /* x86-64: the entries of x32, which mean other things */

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_FILTER_BPF_H_ */
