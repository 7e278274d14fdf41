/* Tries to get a namespace or a mount of its own in each way there is; exits with 0 when all were refused, else with the number
 * of the way that worked. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

#define WORKED(number, result) \
  if ((result) >= 0) return number

/* Starts a process by clone with `flags`; the child ends at once. */
static long cloned(unsigned long flags) {
  const long child = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  return child;
}

static long cloned_by_structure(void) {
  const struct {
    uint64_t flags, pidfd, child, parent, exit_signal, stack, stack_size, thread;
  } arguments = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
  const long child = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) _exit(0);
  return child;
}

int main(void) {
  const int namespaces[] = {CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWCGROUP, CLONE_NEWUTS,
                            CLONE_NEWIPC,  CLONE_NEWPID, CLONE_NEWNET,    CLONE_NEWUSER | CLONE_NEWNS};
  for (int i = 0; i < (int)(sizeof namespaces / sizeof namespaces[0]); ++i) {
    WORKED(10 + i, unshare(namespaces[i]));
    WORKED(20 + i, cloned((unsigned long)namespaces[i]));
  }
  WORKED(30, unshare(CLONE_NEWTIME));
  WORKED(31, cloned_by_structure());
  if (errno != ENOSYS) return 32; /* upon which C libraries use clone */
  const int own = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
  WORKED(33, own < 0 ? -1 : setns(own, CLONE_NEWUSER));
#if defined(__x86_64__)
  WORKED(36, syscall(0x40000000 | SYS_unshare, CLONE_NEWUSER));
#endif
  WORKED(40, mount("none", ".", "tmpfs", 0, NULL));
  WORKED(41, umount2("/proc", MNT_DETACH));
  WORKED(42, chroot("."));
  WORKED(43, syscall(SYS_pivot_root, ".", "."));
  WORKED(44, syscall(430 /* fsopen */, "tmpfs", 0));
  WORKED(45, syscall(428 /* open_tree */, AT_FDCWD, "/tmp", 0));
  WORKED(46, syscall(429 /* move_mount */, AT_FDCWD, "/tmp", AT_FDCWD, ".", 0));
  WORKED(47, syscall(432 /* fsmount */, -1, 0, 0));
  WORKED(48, syscall(433 /* fspick */, AT_FDCWD, "/tmp", 0));
  WORKED(49, syscall(442 /* mount_setattr */, AT_FDCWD, "/tmp", 0, (const long[4]){0}, 32));
  return 0;
}
