/* Looks for a way to others over sockets of any kind: open_sockets UNIX-SOCKET PORT. A socket that could be made is tried on
 * what is there to be reached. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "attempts.h"

static int reaches(const char* address, int port, int kind) {
  struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  inet_pton(AF_INET, address, &there.sin_addr);
  const int end = socket(AF_INET, kind | SOCK_NONBLOCK, 0);
  return end < 0 ? -1 : connect(end, (struct sockaddr*)&there, sizeof there);
}

static int reaches_unix(const char* name, int abstract) {
  struct sockaddr_un there = {.sun_family = AF_UNIX};
  snprintf(there.sun_path + abstract, sizeof there.sun_path - 1, "%s", name);
  const int end = socket(AF_UNIX, SOCK_STREAM, 0);
  const socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name) + (abstract ? 1 : 0));
  return end < 0 ? -1 : connect(end, (struct sockaddr*)&there, abstract ? length : (socklen_t)sizeof there);
}

int main(int count, char** arguments) {
  if (count < 3) return 100;
  static char setup[256];
  attempt(1, "a unix socket of the host by path", reaches_unix(arguments[1], 0));
  attempt(2, "an abstract unix socket of the host", reaches_unix(arguments[1], 1));
  attempt(3, "a TCP port of the host", reaches("127.0.0.1", atoi(arguments[2]), SOCK_STREAM));
  attempt(4, "a name server", reaches("127.0.0.53", 53, SOCK_DGRAM));
  attempt(5, "the cloud's metadata", reaches("169.254.169.254", 80, SOCK_DGRAM));
  const int kinds[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET, SOCK_RAW};
  for (int family = 0; family < 64; ++family) {
    for (int kind = 0; kind < 4; ++kind) {
      int ends[2];
      attempt(10, "a socket", socket(family, kinds[kind], 0));
      attempt(11, "a pair of sockets", socketpair(family, kinds[kind], 0, ends));
    }
  }
  attempt(12, "packets", socket(AF_PACKET, SOCK_RAW, htons(3)));
  attempt(13, "netlink of the audit", socket(AF_NETLINK, SOCK_RAW, 9));
  attempt(20, "io_uring", syscall(425 /* io_uring_setup */, 4, setup));
  attempt(21, "io_uring of others", syscall(427 /* io_uring_register */, -1, 17, NULL, 0) >= 0 ? 0 : -1);
  return first_through;
}
