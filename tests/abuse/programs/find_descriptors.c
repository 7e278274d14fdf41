/* Looks for descriptors that it was not given, and for a way up from them. */
#include <dirent.h>
#include <stdlib.h>

#include "attempts.h"

int main(void) {
  DIR* const own = opendir("/proc/self/fd");
  if (own == NULL) return 100;
  for (struct dirent* entry; (entry = readdir(own)) != NULL;) {
    const int number = atoi(entry->d_name);
    if (entry->d_name[0] == '.' || number < 3 || number == dirfd(own)) continue;
    attempt(1, "a descriptor from the host", number);
    attempt(2, "the folder above it", openat(number, "..", O_RDONLY | O_DIRECTORY));
  }
  for (int number = 3; number < 1024; ++number) {
    if (number != dirfd(own)) attempt(3, "a descriptor that /proc does not show", fcntl(number, F_GETFD));
  }
  return first_through;
}
