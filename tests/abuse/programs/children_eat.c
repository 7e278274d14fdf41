/* Four children take argv[1] megabytes each, and keep them. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int count, char** arguments) {
  if (count < 2) return 1;
  const size_t bytes = (size_t)atol(arguments[1]) << 20;
  for (int i = 0; i < 4; ++i) {
    if (fork() == 0) {
      void* const piece = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (piece == MAP_FAILED) _exit(12);
      memset(piece, 1, bytes);
      for (;;) pause();
    }
  }
  for (;;) pause();
}
