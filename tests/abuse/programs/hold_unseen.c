/* Tries each way to hold memory or files where no process and no descriptor shows them; exits with 0 when all were refused,
 * else with the number of the way that worked. */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define WORKED(number, result) \
  if ((result) >= 0) return number

static int end_thread(void* argument) {
  (void)argument;
  syscall(SYS_exit, 0);
  return 0;
}

static void* unshare_descriptors(void* argument) {
  *(long*)argument = syscall(436 /* close_range */, 100, 200, 2 /* CLOSE_RANGE_UNSHARE */);
  return NULL;
}

int main(void) {
  static char stack[64 << 10] __attribute__((aligned(64)));
  static char setup[256];
  static char page[4096];
  struct iovec piece = {page, sizeof page};
  int one[2], other[2];
  const int file = open("file", O_RDWR | O_CREAT, 0600);
  if (file < 0 || write(file, page, sizeof page) < 0 || pipe(one) != 0 || pipe(other) != 0) return 1;
  if (write(one[1], "x", 1) != 1) return 2;

  WORKED(10, syscall(425 /* io_uring_setup */, 4, setup));
  WORKED(11, vmsplice(one[1], &piece, 1, SPLICE_F_NONBLOCK));
  off_t offset = 0;
  WORKED(12, splice(file, &offset, one[1], NULL, 1, SPLICE_F_NONBLOCK));
  WORKED(13, tee(one[0], other[1], 1, SPLICE_F_NONBLOCK));
  WORKED(14, sendfile(one[1], file, &offset, 1));
  WORKED(20, inotify_init1(0));
  WORKED(21, syscall(SYS_fanotify_init, FAN_CLASS_NOTIF | FAN_REPORT_FID, O_RDONLY));
#if defined(__x86_64__)
  WORKED(22, syscall(SYS_inotify_init));
#endif
  const long rules[] = {1, 0};
  WORKED(23, syscall(444 /* landlock_create_ruleset */, rules, 8, 0));
  const unsigned map[18] = {2 /* BPF_MAP_TYPE_ARRAY */, 4, 4, 1};
  WORKED(24, syscall(SYS_bpf, 0, map, sizeof map));
  WORKED(25, mq_open("/held", O_RDWR | O_CREAT, 0600, NULL));
  if (mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) return 30;
  WORKED(31, prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
  WORKED(32, clone(end_thread, stack + sizeof stack, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_FS, NULL));
  pthread_t thread;
  long unshared = 0;
  if (pthread_create(&thread, NULL, unshare_descriptors, &unshared) != 0 || pthread_join(thread, NULL) != 0) return 3;
  WORKED(33, unshared);

  /* What programs do every day still works. */
  if (mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) return 40;
  if (mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) == MAP_FAILED) return 41;
  if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 1) return 42;
  if (syscall(436 /* close_range */, 100, 200, 0) != 0 && errno != ENOSYS) return 43;
  return 0;
}
