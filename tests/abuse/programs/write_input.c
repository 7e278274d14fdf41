/* Writes to a file that it was lent for reading, open as descriptor 5: write_input PATH. */
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "attempts.h"

enum { INPUT = 5 };

static int mapped(int protection, int raised) {
  void* const place = mmap(NULL, 4096, protection, MAP_SHARED, INPUT, 0);
  if (place == MAP_FAILED) return -1;
  return raised != 0 ? mprotect(place, 4096, raised) : 0;
}

int main(int count, char** arguments) {
  if (count < 2) return 100;
  char byte;
  if (read(INPUT, &byte, 1) != 1) return 101; /* what it was lent for */
  struct iovec piece = {&byte, 1};
  attempt(1, "open by descriptor", can_open("/proc/self/fd/5", O_RDWR));
  attempt(2, "open by path", can_open(arguments[1], O_WRONLY));
  attempt(3, "truncate by path", truncate(arguments[1], 0));
  attempt(4, "write", write(INPUT, "x", 1));
  attempt(5, "pwritev", pwritev(INPUT, &piece, 1, 0));
  attempt(6, "ftruncate", ftruncate(INPUT, 0));
  attempt(7, "fallocate", fallocate(INPUT, 3 /* punch a hole, keep the size */, 0, 4096));
  attempt(8, "shared writable mapping", mapped(PROT_READ | PROT_WRITE, 0));
  attempt(9, "shared mapping made writable", mapped(PROT_READ, PROT_READ | PROT_WRITE));
  const int own = open("own", O_RDWR | O_CREAT, 0600);
  if (own < 0 || write(own, "own", 3) != 3) return 102;
  attempt(10, "clone a range", ioctl(INPUT, FICLONE, own));
  off_t from = 0, to = 0;
  attempt(11, "copy_file_range", syscall(SYS_copy_file_range, own, &from, INPUT, &to, 1, 0));
  return first_through;
}
