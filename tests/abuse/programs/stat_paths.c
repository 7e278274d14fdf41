/* Asks whether a file exists that it may not see: stat_paths SECRET FOLDER, where SECRET is in FOLDER. */
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/xattr.h>

#include "attempts.h"

int main(int count, char** arguments) {
  if (count < 3) return 100;
  struct stat status;
  struct statfs system;
  char value[16];
  attempt(1, "stat", stat(arguments[1], &status));
  attempt(2, "access", access(arguments[1], F_OK));
  attempt(3, "open as a mere path", can_open(arguments[1], O_PATH));
  attempt(4, "statfs", statfs(arguments[1], &system));
  attempt(5, "listxattr", listxattr(arguments[1], value, sizeof value));
  attempt(6, "chdir", chdir(arguments[2]));
  return first_through;
}
