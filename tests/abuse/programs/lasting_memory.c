/* Tries to leave memory behind that nobody owns; exits with 0 when every way is refused. */
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

int main(void) {
  int left = 0;
  left += shmget(IPC_PRIVATE, 1 << 20, 0600) >= 0;
  left += msgget(IPC_PRIVATE, 0600) >= 0;
  left += semget(IPC_PRIVATE, 1, 0600) >= 0;
  return left;
}
