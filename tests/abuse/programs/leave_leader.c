/* Ends the first thread of a process, whose memory and descriptors the kernel shows then only with the threads that are left:
 * `memory`: two children take 50 MB each; `files`: fills files without a name. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void* eat(void* argument) {
  usleep(20000); /* until the first thread is gone */
  char* const memory = malloc(50 << 20);
  if (memory == NULL) _exit(12);
  for (int i = 0; i < 50 << 20; i += 4096) ((volatile char*)memory)[i] = 1;
  sleep(2);
  _exit(0);
  return argument;
}

static void* fill(void* argument) {
  static char piece[1 << 20];
  usleep(20000);
  memset(piece, 'x', sizeof piece);
  for (int i = 0; i < 64; ++i) {
    const int file = open("unnamed", O_RDWR | O_CREAT | O_EXCL, 0600);
    unlink("unnamed");
    if (file < 0 || write(file, piece, sizeof piece) < 0) _exit(5);
  }
  sleep(2);
  _exit(0);
  return argument;
}

static void leave_it_to(void* (*work)(void*)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, NULL) != 0) _exit(11);
  syscall(SYS_exit, 0);
}

int main(int argument_count, char** arguments) {
  if (argument_count < 2) return 1;
  if (strcmp(arguments[1], "files") == 0) leave_it_to(fill);
  for (int i = 0; i < 2; ++i) {
    const pid_t child = fork();
    if (child < 0) return 2;
    if (child == 0) leave_it_to(eat);
  }
  int result = 0;
  for (int status; wait(&status) > 0;) result |= WEXITSTATUS(status);
  return result;
}
