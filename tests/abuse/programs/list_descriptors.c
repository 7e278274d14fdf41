/* Prints the numbers of its open descriptors. */
#include <fcntl.h>
#include <stdio.h>

int main(void) {
  for (int fd = 0; fd < 1024; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) printf("%d ", fd);
  }
  return 0;
}
