/* Makes a chain of argv[1] folders with names of argv[2] letters. With argv[3] it then waits. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int count, char** arguments) {
  if (count < 3) return 1;
  char name[256] = {0};
  memset(name, 'd', (size_t)atoi(arguments[2]));
  for (int i = atoi(arguments[1]); i > 0; --i) {
    if (mkdir(name, 0700) != 0 || chdir(name) != 0) return 2;
  }
  while (count > 3) pause();
  return 0;
}
