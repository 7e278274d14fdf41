/* Leaves files that a host must not read: links, a pipe, a file of two names, one too large; and one good one. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char* name, const char* text) {
  FILE* const file = fopen(name, "w");
  fputs(text, file);
  fclose(file);
}

int main(void) {
  mkdir("folder", 0700);
  write_file("folder/good.txt", "good");
  write_file(".hidden", "hidden");
  write_file("two", "two");
  if (link("two", "names") != 0) return 1;
  if (symlink("/etc/shadow", "shadow") != 0 || symlink("/etc", "folder-link") != 0) return 2;
  mkfifo("pipe", 0600); /* from level 1 on there are none */
  const int large = open("large", O_CREAT | O_WRONLY, 0600);
  if (ftruncate(large, 160l << 20) != 0) return 4;
  write_file("bad\xff", "bad name");
  return 0;
}
