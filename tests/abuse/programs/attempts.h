/* For programs that try many ways to do what they may not do. Each way has a number; the program says which ones worked and
 * exits with the number of the first, or with 0 when all were refused. */
#ifndef CONCLAVE_TESTS_ABUSE_PROGRAMS_ATTEMPTS_H_
#define CONCLAVE_TESTS_ABUSE_PROGRAMS_ATTEMPTS_H_

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int first_through;

/* `result` is what the system call returned: negative when refused. */
static inline void attempt(int number, const char* what, long result) {
  if (result < 0) return;
  printf("%d %s\n", number, what);
  if (first_through == 0) first_through = number;
}

static inline int can_open(const char* path, int flags) {
  const int file = open(path, flags | O_CLOEXEC | O_NONBLOCK);
  if (file >= 0) close(file);
  return file;
}

static inline int can_read(const char* path) {
  char byte;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return -1;
  const long count = read(file, &byte, 1);
  close(file);
  return count < 0 ? -1 : 0;
}

#endif /* CONCLAVE_TESTS_ABUSE_PROGRAMS_ATTEMPTS_H_ */
