/* Reserves address space until it is refused and then spins, as some numeric libraries do. */
#include <stddef.h>
#include <sys/mman.h>

int main(void) {
  while (mmap(NULL, 16 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED) {}
  for (volatile unsigned long i = 0;; ++i) {}
}
