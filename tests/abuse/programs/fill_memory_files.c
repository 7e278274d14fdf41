/* Fills anonymous memory files, which no limit of memory counts. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
  static char piece[1 << 20];
  memset(piece, 'x', sizeof piece);
  for (;;) {
    const int file = memfd_create("full", 0);
    if (file < 0) return 9;
    for (int i = 0; i < 8; ++i) {
      if (write(file, piece, sizeof piece) < 0) return 2;
    }
    usleep(1000);
  }
}
