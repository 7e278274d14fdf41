/* Leaves folders that nobody may enter, read or change, the private folder itself among them. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH = 6 };

int main(void) {
  int folders[DEPTH];
  for (int i = 0; i < DEPTH; ++i) {
    folders[i] = open(".", O_RDONLY | O_DIRECTORY);
    close(open("file", O_CREAT | O_WRONLY, 0000));
    if (mkdir("empty", 0000) != 0 || mkdir("locked", 0700) != 0 || chdir("locked") != 0) return 1;
  }
  for (int i = 0; i < DEPTH; ++i) {
    if (fchmod(folders[i], 0000) != 0) return 2;
  }
  usleep(100000); /* the watchdog looks at them meanwhile */
  return 0;
}
