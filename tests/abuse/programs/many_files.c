/* Makes empty files without end. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
  for (int i = 0;; ++i) {
    char name[32];
    snprintf(name, sizeof name, "file-%d", i);
    const int file = open(name, O_CREAT | O_WRONLY, 0600);
    if (file < 0) return 1;
    close(file);
  }
}
