/* Writes files of 1 MB without end. With argv[1], files that have no name any more. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char** arguments) {
  (void)arguments;
  static char piece[1 << 20];
  memset(piece, 'x', sizeof piece);
  for (int i = 0;; ++i) {
    char name[32];
    snprintf(name, sizeof name, "file-%d", i);
    const int file = open(name, O_CREAT | O_WRONLY, 0600);
    if (file < 0) return 1;
    if (write(file, piece, sizeof piece) < 0) return 2;
    if (count > 1) {
      unlink(name);
    } else {
      close(file);
    }
    usleep(1000);
  }
}
