/* Exits with status argv[2], or ends by signal argv[2]: end_with exit|signal NUMBER. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char** arguments) {
  if (count < 3) return 1;
  const int number = atoi(arguments[2]);
  if (strcmp(arguments[1], "exit") == 0) return number;
  signal(number, SIG_DFL);
  raise(number);
  return 1;
}
