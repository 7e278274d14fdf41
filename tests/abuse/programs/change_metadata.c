/* Changes what is said about a file of others: change_metadata PATH. The kernel's filter of paths does not cover these calls.
 */
#include <sys/stat.h>
#include <sys/xattr.h>

#include "attempts.h"

int main(int count, char** arguments) {
  if (count < 2) return 100;
  const char* const path = arguments[1];
  attempt(1, "times", utimensat(AT_FDCWD, path, NULL, 0));
  attempt(2, "mode", chmod(path, 0666));
  attempt(3, "owner", chown(path, getuid(), getgid()));
  attempt(4, "attribute", setxattr(path, "user.abuse", "x", 1, 0));
  removexattr(path, "user.abuse");
  return first_through;
}
