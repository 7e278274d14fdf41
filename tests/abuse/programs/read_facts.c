/* Looks for what /proc/self says about the machine's other users: lines beyond the header are the sockets of others. */
#include <string.h>

#include "attempts.h"

static int has_entries(const char* path) {
  static char text[4096];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const long count = read(file, text, sizeof text - 1);
  close(file);
  const char* const header = count > 0 ? memchr(text, '\n', (size_t)count) : NULL;
  return header != NULL && header + 1 < text + count ? 0 : -1;
}

int main(void) {
  attempt(1, "/proc/self/net/unix", has_entries("/proc/self/net/unix"));
  attempt(2, "/proc/self/net/tcp", has_entries("/proc/self/net/tcp"));
  attempt(3, "/proc/self/net/route", has_entries("/proc/self/net/route"));
  return first_through;
}
