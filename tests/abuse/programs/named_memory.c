/* Leaves a file and a folder with a file in /dev/shm, and says under which name. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  char file[64], folder[64], inner[80];
  snprintf(file, sizeof file, "/dev/shm/conclave-abuse-file-%d", (int)getpid());
  snprintf(folder, sizeof folder, "/dev/shm/conclave-abuse-folder-%d", (int)getpid());
  snprintf(inner, sizeof inner, "%s/file", folder);
  if (open(file, O_RDWR | O_CREAT | O_EXCL, 0600) < 0 || mkdir(folder, 0700) != 0) return 1;
  if (open(inner, O_RDWR | O_CREAT | O_EXCL, 0600) < 0) return 2;
  printf("%s\n%s\n", file, folder);
  return 0;
}
