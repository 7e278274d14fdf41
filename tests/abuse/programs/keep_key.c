/* Leaves a key for the next run, or finds the one that the last run left: keep_key NAME. Removes what it finds. */
#include <sys/syscall.h>

#include "attempts.h"

enum { OF_USER = -4, UNLINK = 9, SEARCH = 10 };

int main(int count, char** arguments) {
  if (count < 2) return 100;
  const long found = syscall(SYS_keyctl, SEARCH, OF_USER, "user", arguments[1], 0);
  attempt(1, "a key of the last run", found);
  if (found >= 0) {
    syscall(SYS_keyctl, UNLINK, found, OF_USER);
  } else {
    syscall(SYS_add_key, "user", arguments[1], "secret", 6ul, OF_USER);
  }
  return first_through;
}
