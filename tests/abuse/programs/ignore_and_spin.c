/* Ignores every signal that can be ignored, then uses the processor without end. */
#include <signal.h>

int main(void) {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_IGN);
  for (volatile unsigned long i = 0;; ++i) {}
}
