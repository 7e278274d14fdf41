/* Watches what happens in a folder of the host: watch_folder FOLDER. */
#include <sys/syscall.h>

#include "attempts.h"

int main(int count, char** arguments) {
  if (count < 2) return 100;
  attempt(1, "inotify", syscall(SYS_inotify_init1, 0));
#if defined(__x86_64__)
  attempt(2, "the first inotify", syscall(SYS_inotify_init));
#endif
  attempt(3, "fanotify", syscall(SYS_fanotify_init, 0x200 /* by file handle, which needs no privilege */, O_RDONLY));
  const int folder = open(arguments[1], O_RDONLY | O_DIRECTORY);
  attempt(4, "dnotify", folder < 0 ? -1 : fcntl(folder, F_NOTIFY, DN_CREATE | DN_MULTISHOT));
  return first_through;
}
