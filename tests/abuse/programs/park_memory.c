/* Fills files that no descriptor shows and no process maps: in memory or without a name on disk, waiting in a socket. Exits
 * with 0 when neither such files nor sockets can be had, else with the number of the way that worked, once 256 MB are held. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int send_away(int socket, int file) {
  char byte = 'x';
  struct iovec piece = {&byte, 1};
  char room[CMSG_SPACE(sizeof(int))] = {0};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  struct cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(rights), &file, sizeof file);
  return sendmsg(socket, &message, MSG_DONTWAIT) == 1;
}

static int unnamed_file(void) {
  const int file = open("parked", O_RDWR | O_CREAT | O_EXCL, 0600);
  unlink("parked");
  return file;
}

/* Parks 64 files of 4 MB. */
static int park(int socket, int in_memory) {
  static char piece[4 << 20];
  memset(piece, 'x', sizeof piece);
  for (int i = 0; i < 64; ++i) {
    const int file = in_memory ? memfd_create("parked", 0) : unnamed_file();
    if (file < 0 || write(file, piece, sizeof piece) < 0 || !send_away(socket, file)) return 0;
    close(file);
  }
  usleep(200000);
  return 1;
}

int main(void) {
  const int kinds[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
  for (int kind = 0; kind < 3; ++kind) {
    int ends[2];
    if (socketpair(AF_UNIX, kinds[kind], 0, ends) != 0) continue;
    if (park(ends[0], 1)) return 10 + kind;
    if (park(ends[0], 0)) return 20 + kind;
    return 30 + kind;
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
