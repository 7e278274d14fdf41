/* Opens descriptors until refused; exits with 24 when that was the limit of descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int main(void) {
  for (int i = 0; i < 10000; ++i) {
    if (open("/dev/null", O_RDONLY) < 0) return errno == EMFILE ? 24 : 1;
  }
  return 0;
}
