/* Makes a file of one terabyte without content. */
#include <fcntl.h>
#include <unistd.h>

int main(void) {
  const int file = open("sparse", O_CREAT | O_WRONLY, 0600);
  return ftruncate(file, 1l << 40) == 0 ? 0 : 1;
}
