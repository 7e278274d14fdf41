/* Reserves 100 GB without touching it; exits with 12 when refused. */
#include <stddef.h>
#include <sys/mman.h>

int main(void) {
  return mmap(NULL, 100ul << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED ? 12
                                                                                                                           : 0;
}
