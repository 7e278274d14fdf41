/* Says whether it has more than it was started with; its file is to have the set-user-ID bit. */
#include <stdio.h>
#include <unistd.h>

int main(void) {
  puts("started");
  return geteuid() != getuid() || getegid() != getgid() || setuid(0) == 0 ? 1 : 0;
}
