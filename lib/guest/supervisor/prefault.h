/* Makes memory present before it is touched: one call for many pages instead of a fault for each, which on virtual machines
 * costs ten times as much. Kernels before 5.14 do not know the call, and fault. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_PREFAULT_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_PREFAULT_H_

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

enum { PREFAULT_PAGE = 4096, PREFAULT_POPULATE_WRITE = 23 /* MADV_POPULATE_WRITE */ };

static inline void prefault(void* first, size_t size) {
  const uintptr_t begin = (uintptr_t)first & ~(uintptr_t)(PREFAULT_PAGE - 1);
  const uintptr_t end = ((uintptr_t)first + size + PREFAULT_PAGE - 1) & ~(uintptr_t)(PREFAULT_PAGE - 1);
  madvise((void*)begin, end - begin, PREFAULT_POPULATE_WRITE);
}

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_PREFAULT_H_ */
