/* Leaves files in a folder that everybody may write: write_outside FOLDER MARK. Removes what it could make. */
#include <stdlib.h>
#include <sys/stat.h>

#include "attempts.h"

int main(int count, char** arguments) {
  if (count < 3) return 100;
  char path[256];
  snprintf(path, sizeof path, "%s/conclave-abuse-%s", arguments[1], arguments[2]);
  const int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
  attempt(1, "a file", file);
  if (file >= 0) attempt(2, "content", write(file, "x", 1));
  unlink(path);
  attempt(3, "a folder", mkdir(path, 0700));
  rmdir(path);
  attempt(4, "a pipe", mkfifo(path, 0600));
  unlink(path);
  attempt(5, "a symbolic link", symlink("/", path));
  unlink(path);
  attempt(6, "a file without a name", open(arguments[1], O_TMPFILE | O_RDWR, 0600));
  return first_through;
}
