/* A supervisor of another release: it answers in words that the host does not know. */
#include <string.h>
#include <unistd.h>

#include "lib/sandbox/wire.h"

int main(void) {
  struct conclave_message message;
  memset(&message, 0, sizeof message);
  message.kind = CONCLAVE_MESSAGE_FAILED;
  message.version = CONCLAVE_WIRE_VERSION + 1;
  return write(3, &message, sizeof message) == (ssize_t)sizeof message ? 1 : 2;
}
