#include "lib/guest/supervisor/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/guest/supervisor/kernel.h"

/* While the new tree is being made, its root is on top of the private folder, the one place that is surely there and ours. */
static const char* base;

/* Device nodes that keep no state between two who use them. */
static const char* const kDevices[] = {"/dev/null", "/dev/zero", "/dev/urandom"};

static const struct {
  const char* name;
  const char* target;
} kLinks[] = {{"/dev/random", "urandom"},
              {"/dev/fd", "/proc/self/fd"},
              {"/dev/stdin", "fd/0"},
              {"/dev/stdout", "fd/1"},
              {"/dev/stderr", "fd/2"}};

static int failed(struct lock* lock, const char* what) {
  const int error = errno;
  snprintf(lock->what_buffer, sizeof lock->what_buffer, "%s", what);
  lock->what = lock->what_buffer;
  return error != 0 ? error : EINVAL;
}

/* `path` below the new root. Returns 0 when it is too long. */
static int below(char* out, const char* path) {
  const int length = snprintf(out, PATH_MAX, "%s%s", base, path);
  return length > 0 && length < PATH_MAX;
}

/* Makes the folders that `path`, which is absolute and below the new root, lies in. */
static int make_parents(char* path) {
  for (char* at = path + strlen(base) + 1; *at != '\0'; ++at) {
    if (*at != '/') continue;
    *at = '\0';
    const int made = mkdir(path, 0755);
    *at = '/';
    if (made != 0 && errno != EEXIST) return -1;
  }
  return 0;
}

static int make_file(const char* path) {
  const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0444);
  if (file < 0) return -1;
  close(file);
  return 0;
}

/* Shows `path` of the machine at the same place in the new tree. What is not there is passed over; so is what an earlier path
 * shows already. */
static int show(const char* path) {
  char place[PATH_MAX];
  struct stat what, present;
  if (lstat(path, &what) != 0) return 0;
  if (!below(place, path)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  if (lstat(place, &present) == 0 && present.st_dev == what.st_dev && present.st_ino == what.st_ino) return 0;
  if (make_parents(place) != 0) return -1;
  if (S_ISLNK(what.st_mode)) {
    char target[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) return 0;
    target[length] = '\0';
    return symlink(target, place) == 0 || errno == EEXIST ? 0 : -1;
  }
  if (S_ISDIR(what.st_mode)) {
    if (mkdir(place, 0755) != 0 && errno != EEXIST) return -1;
  } else if (make_file(place) != 0) {
    return -1;
  }
  return mount(path, place, NULL, MS_BIND | MS_REC, NULL);
}

/* A folder that is to be covered later, when the tree cannot be written to any more. */
static int make_folder(const char* path) {
  char place[PATH_MAX];
  if (!below(place, path)) return -1;
  if (make_parents(place) != 0) return -1;
  return mkdir(place, 0755) == 0 || errno == EEXIST ? 0 : -1;
}

static int set_attributes(const char* path, unsigned flags, uint64_t set, uint64_t clear) {
  const struct kernel_mount_attributes attributes = {.set = set, .clear = clear};
  return (int)syscall(SYS_mount_setattr, AT_FDCWD, path, flags, &attributes, sizeof attributes);
}

static int show_all(struct lock* lock) {
  const struct policy* const policy = lock->policy;
  for (uint32_t i = 0; i < policy->limits.readable; ++i) {
    if (show(policy->readable[i]) != 0) return failed(lock, policy->readable[i]);
  }
  for (size_t i = 0; i < sizeof kDevices / sizeof kDevices[0]; ++i) {
    if (show(kDevices[i]) != 0) return failed(lock, kDevices[i]);
  }
  for (size_t i = 0; i < sizeof kLinks / sizeof kLinks[0]; ++i) {
    char place[PATH_MAX];
    if (!below(place, kLinks[i].name) || symlink(kLinks[i].target, place) != 0) return failed(lock, kLinks[i].name);
  }
  if (make_folder("/proc") != 0) return failed(lock, "/proc");
  if (make_folder(policy->folder_path) != 0) return failed(lock, policy->folder_path);
  return 0;
}

/* The tree cannot be changed from now on, and nothing in it lends privileges; the private folder and /proc come on top. */
static int close_tree(struct lock* lock) {
  const char* const folder = lock->policy->folder_path;
  char place[PATH_MAX];
  if (set_attributes(base, KERNEL_AT_RECURSIVE, KERNEL_MOUNT_READ_ONLY | KERNEL_MOUNT_NO_SUID, 0) != 0) {
    return failed(lock, "mount_setattr");
  }
  if (!below(place, "/proc") || mount("proc", place, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) {
    return failed(lock, "/proc");
  }
  /* The working folder is still the one under the new root. */
  if (!below(place, folder) || mount(".", place, NULL, MS_BIND, NULL) != 0) return failed(lock, folder);
  if (set_attributes(place, 0, KERNEL_MOUNT_NO_SUID | KERNEL_MOUNT_NO_DEVICES, 0) != 0) return failed(lock, folder);
  return 0;
}

static int enter_tree(struct lock* lock) {
  if (chdir(base) != 0) return failed(lock, "chdir");
  if (syscall(SYS_pivot_root, ".", ".") != 0) return failed(lock, "pivot_root");
  /* The old root lies on the new one now. */
  if (umount2(".", MNT_DETACH) != 0) return failed(lock, "umount");
  if (chdir(lock->policy->folder_path) != 0) return failed(lock, lock->policy->folder_path);
  return 0;
}

/* The private folder by its path: the descriptor belongs to the mounts of the machine, which cannot be shown here. */
static int enter_folder(struct lock* lock) {
  struct stat here, there;
  if (chdir(lock->policy->folder_path) != 0) return failed(lock, lock->policy->folder_path);
  if (stat(".", &here) != 0 || fstat(lock->policy->folder, &there) != 0) return failed(lock, lock->policy->folder_path);
  if (here.st_dev == there.st_dev && here.st_ino == there.st_ino) return 0;
  errno = ESTALE;
  return failed(lock, lock->policy->folder_path);
}

int mounts_make(struct lock* lock) {
  base = lock->policy->folder_path;
  int error = enter_folder(lock);
  if (error != 0) return error;
  if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) return failed(lock, "/");
  if (mount("conclave", base, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,nr_inodes=4k,mode=755") != 0)
    return failed(lock, "tmpfs");
  error = show_all(lock);
  if (error == 0) error = close_tree(lock);
  if (error == 0) error = enter_tree(lock);
  return error;
}
