/* Looks for what files can be parked in so that no descriptor shows them and no process maps them: sockets of every family, and
 * files in memory to put there. Exits with 0 when there are none, else with the number of what there is. */
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  const int kinds[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
  for (int kind = 0; kind < 3; ++kind) {
    int ends[2];
    if (socketpair(AF_UNIX, kinds[kind], 0, ends) == 0) return 30 + kind;
  }
  const int families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, 38 /* AF_ALG */};
  for (int family = 0; family < 5; ++family) {
    for (int kind = 0; kind < 3; ++kind) {
      if (socket(families[family], kinds[kind], 0) >= 0) return 40 + family;
    }
  }
  if (memfd_create("memory", 0) >= 0) return 50;
  if (syscall(447 /* memfd_secret */, 0) >= 0) return 51;
  return 0;
}
