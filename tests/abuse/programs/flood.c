/* Writes without end and without a line end: to standard output, or to descriptor argv[1]. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char** arguments) {
  static char piece[1 << 16];
  memset(piece, 'x', sizeof piece);
  const int to = count > 1 ? atoi(arguments[1]) : 1;
  for (;;) {
    if (write(to, piece, sizeof piece) < 0) return 1;
  }
}
