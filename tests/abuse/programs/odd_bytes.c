/* Writes bytes that are no text: every value, escapes, NUL, invalid UTF-8. */
#include <stdio.h>

int main(void) {
  for (int i = 0; i < 256; ++i) putchar(i);
  fputs("\033[2J\xff\xfe", stderr);
  return 0;
}
