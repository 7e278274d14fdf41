/* Stops itself, and so never ends. */
#include <signal.h>

int main(void) {
  for (;;) raise(SIGSTOP);
}
