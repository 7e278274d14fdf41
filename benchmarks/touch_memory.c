/* Touches 64 MB, says so with one byte on descriptor 5, and waits to be ended. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  const size_t size = (size_t)64 << 20;
  char* memory = malloc(size);
  if (memory == NULL) return 1;
  memset(memory, 1, size);
  if (write(5, memory, 1) != 1) return 1;
  for (;;) pause();
}
