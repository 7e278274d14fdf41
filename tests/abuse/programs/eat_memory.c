/* Takes and touches memory until it is refused, then exits with 12. With argv[1], memory that other processes could share. */
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

int main(int count, char** arguments) {
  (void)arguments;
  const int kind = count > 1 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  const int source = count > 1 ? open("/dev/zero", O_RDWR) : -1;
  for (;;) {
    void* const piece = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, kind, source, 0);
    if (piece == MAP_FAILED) return 12;
    memset(piece, 1, 1 << 20);
  }
}
