/* Reads standard input to its end; exits with 3 when there was something. */
#include <unistd.h>

int main(void) {
  char byte;
  return read(0, &byte, 1) == 0 ? 0 : 3;
}
