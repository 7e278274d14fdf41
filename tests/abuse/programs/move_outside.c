/* Moves and links files out of its folder and into it: move_outside FOLDER, which everybody may write and has a file `shared`.
 */
#include <sys/syscall.h>

#include "attempts.h"

static int make(const char* name) {
  const int file = open(name, O_WRONLY | O_CREAT, 0666);
  if (file >= 0) close(file);
  return file;
}

int main(int count, char** arguments) {
  if (count < 2) return 100;
  char there[256], shared[256], link_name[32];
  snprintf(there, sizeof there, "%s/moved", arguments[1]);
  snprintf(shared, sizeof shared, "%s/shared", arguments[1]);
  if (make("own") < 0) return 101;
  attempt(1, "rename out", rename("own", there));
  unlink(there);
  make("own");
  attempt(2, "link out", link("own", there));
  unlink(there);
  attempt(3, "exchange", syscall(SYS_renameat2, AT_FDCWD, "own", AT_FDCWD, shared, 2));
  make("own");
  attempt(4, "link in", link(shared, "linked"));
  attempt(5, "rename in", rename(shared, "renamed"));
  make(shared);
  if (symlink(shared, "symbolic") != 0) return 102;
  attempt(6, "read through a symbolic link", can_read("symbolic"));
  attempt(7, "write through a symbolic link", can_open("symbolic", O_WRONLY));
  const int unnamed = open(".", O_TMPFILE | O_RDWR, 0600);
  if (unnamed >= 0) {
    snprintf(link_name, sizeof link_name, "/proc/self/fd/%d", unnamed);
    attempt(8, "name a nameless file outside", linkat(AT_FDCWD, link_name, AT_FDCWD, there, AT_SYMLINK_FOLLOW));
    attempt(9, "name a nameless file outside by handle", linkat(unnamed, "", AT_FDCWD, there, AT_EMPTY_PATH));
    unlink(there);
  }
  return first_through;
}
