/* Becomes a program that lends its owner's privileges: exec_privileged PROGRAM. Exits with 0 when it cannot be started. */
#include <stdio.h>
#include <unistd.h>

int main(int count, char** arguments) {
  if (count < 2) return 100;
  char* const words[] = {arguments[1], NULL};
  execv(arguments[1], words);
  puts("not started");
  return 0;
}
