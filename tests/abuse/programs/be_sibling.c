/* The run that another one attacks: says on descriptor 4 where its folder and a word in its memory are, waits until descriptor
 * 6 ends, and answers on descriptor 5. Exits with 1 when its word or its file was changed. */
#include <limits.h>
#include <string.h>

#include "attempts.h"

static char word[16] = "untouched";

int main(void) {
  char folder[PATH_MAX], byte, kept[sizeof word] = "";
  const int file = open("secret", O_RDWR | O_CREAT, 0644);
  if (file < 0 || write(file, word, sizeof word) != sizeof word || getcwd(folder, sizeof folder) == NULL) return 100;
  dprintf(4, "%s %lu\n", folder, (unsigned long)(void*)word);
  close(4);
  while (read(6, &byte, 1) > 0) {}
  const int again = open("secret", O_RDONLY);
  if (again < 0 || read(again, kept, sizeof kept) != sizeof kept) return 2;
  if (strcmp(kept, "untouched") != 0 || strcmp(word, "untouched") != 0) return 1;
  return write(5, "answer", 6) == 6 ? 0 : 3;
}
