/* System calls that leave no trace in memory, errno included: for a process that runs on in memory that another one uses. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_RAW_CALL_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_RAW_CALL_H_

/* Returns what the kernel does: a negative errno for a failure. */
#if defined(__x86_64__)
static inline long raw_call(long number, long a, long b, long c, long d) {
  register long r10 __asm__("r10") = d;
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
static inline long raw_call(long number, long a, long b, long c, long d) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
  return x0;
}
#endif

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_RAW_CALL_H_ */
