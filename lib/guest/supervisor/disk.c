#include "lib/guest/supervisor/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/guest/supervisor/folder_entries.h"
#include "lib/guest/supervisor/prefault.h"

/* One folder on the way down. The position lets all levels share one buffer: it is read again from there on the way up. */
struct level {
  int folder;
  int64_t position;
};

/* What every run's end touches, side by side. */
static struct {
  char buffer[4096] __attribute__((aligned(8)));
  struct level levels[CONCLAVE_MAX_FOLDER_DEPTH];
} walk __attribute__((aligned(PREFAULT_PAGE)));

void disk_prepare(void) { prefault(&walk, sizeof walk); }

static int open_folder(int parent, const char* name) {
  const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  const int folder = openat(parent, name, flags);
  if (folder >= 0 || errno != EACCES) return folder;
  /* Its owner took our right to read away, and as an ordinary user we are the owner. */
  struct stat what;
  if (fstatat(parent, name, &what, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(what.st_mode)) return -1;
  if (fchmodat(parent, name, (what.st_mode & 07777) | 0500, 0) != 0) return -1;
  return openat(parent, name, flags);
}

static int over(const struct policy* policy, const struct disk_use* use) {
  return use->bytes > policy->limits.disk_bytes || use->inodes > policy->limits.disk_inodes;
}

/* Reads on in `level` until a folder to descend into (returned, open), or its end (-1), or a limit (-2). */
static int next_folder(const struct policy* policy, struct level* level, struct disk_use* use) {
  if (lseek(level->folder, level->position, SEEK_SET) < 0) return -1;
  for (;;) {
    const long got = folder_entries_read(level->folder, walk.buffer, sizeof walk.buffer);
    if (got <= 0) return -1;
    for (long at = 0; at < got;) {
      const struct folder_entry* const entry = folder_entries_next(walk.buffer, &at);
      level->position = entry->next;
      if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0) continue;
      struct stat what;
      if (fstatat(level->folder, entry->name, &what, AT_SYMLINK_NOFOLLOW) != 0) continue; /* gone meanwhile */
      use->inodes += 1;
      use->bytes += (int64_t)what.st_blocks * 512;
      if (over(policy, use)) return -2;
      if (!S_ISDIR(what.st_mode)) continue;
      const int folder = open_folder(level->folder, entry->name);
      if (folder >= 0) return folder;
      if (errno != ENOENT) use->incomplete = 1;
    }
  }
}

static void measure_folder(const struct policy* policy, struct disk_use* use) {
  struct level* const levels = walk.levels;
  int depth = 0;
  fchmod(policy->folder, 0700); /* the program may have taken our right to read away */
  levels[0].folder = open_folder(policy->folder, ".");
  levels[0].position = 0;
  if (levels[0].folder < 0) {
    use->incomplete = 1;
    return;
  }
  int stop = 0;
  while (depth >= 0) {
    const int folder = stop ? -1 : next_folder(policy, &levels[depth], use);
    if (folder >= 0 && depth + 1 < CONCLAVE_MAX_FOLDER_DEPTH) {
      ++depth;
      levels[depth].folder = folder;
      levels[depth].position = 0;
      continue;
    }
    if (folder >= 0) {
      close(folder);
      use->too_deep = 1;
      stop = 1;
    }
    if (folder == -2) stop = 1;
    close(levels[depth--].folder);
  }
}

/* Files by identity. */
struct file_set {
  dev_t device[512];
  ino_t inode[512];
  int count;
};

static struct file_set lent;

/* Returns 0 when the file was in the set already; a set that is full forgets. */
static int add_file(struct file_set* set, const struct stat* what) {
  for (int i = 0; i < set->count; ++i) {
    if (set->device[i] == what->st_dev && set->inode[i] == what->st_ino) return 0;
  }
  if (set->count < (int)(sizeof set->inode / sizeof set->inode[0])) {
    set->device[set->count] = what->st_dev;
    set->inode[set->count++] = what->st_ino;
  }
  return 1;
}

void disk_exclude_lent(const struct policy* policy) {
  for (uint32_t i = 0; i < policy->limits.grants; ++i) {
    struct stat what;
    if (fstat(policy->grant_source[i], &what) == 0 && S_ISREG(what.st_mode)) add_file(&lent, &what);
  }
}

/* Returns how many descriptors the folder of them shows. */
static int measure_descriptors(const char* path, struct file_set* seen, struct disk_use* use) {
  DIR* const descriptors = opendir(path);
  if (descriptors == NULL) return 0;
  int shown = 0;
  for (const struct dirent* entry = readdir(descriptors); entry != NULL; entry = readdir(descriptors)) {
    struct stat what;
    if (entry->d_name[0] == '.') continue;
    ++shown;
    if (fstatat(dirfd(descriptors), entry->d_name, &what, 0) != 0) continue;
    if (!S_ISREG(what.st_mode) || what.st_nlink != 0 || !add_file(seen, &what)) continue;
    use->bytes += (int64_t)what.st_blocks * 512;
    use->inodes += 1;
  }
  closedir(descriptors);
  return shown;
}

/* The first thread may end before the others and shows no descriptors from then on: they are what any other thread shows. */
static void measure_unnamed_of(pid_t pid, struct file_set* seen, struct disk_use* use) {
  char path[96];
  snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
  if (measure_descriptors(path, seen, use) > 0) return;
  snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
  DIR* const threads = opendir(path);
  if (threads == NULL) return;
  int shown = 0;
  for (const struct dirent* entry = readdir(threads); entry != NULL && shown == 0; entry = readdir(threads)) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/fd", (int)pid, entry->d_name);
    shown = measure_descriptors(path, seen, use);
  }
  closedir(threads);
}

static void measure_unnamed(const struct tree* tree, struct disk_use* use) {
  static pid_t pids[TREE_CAPACITY];
  static struct file_set seen;
  const int count = tree_list(tree, pids, TREE_CAPACITY);
  if (count == 0) return;
  seen.count = lent.count;
  memcpy(seen.device, lent.device, (size_t)lent.count * sizeof lent.device[0]);
  memcpy(seen.inode, lent.inode, (size_t)lent.count * sizeof lent.inode[0]);
  for (int i = 0; i < count; ++i) measure_unnamed_of(pids[i], &seen, use);
}

void disk_measure(const struct policy* policy, const struct tree* tree, struct disk_use* use) {
  memset(use, 0, sizeof *use);
  measure_folder(policy, use);
  if (!over(policy, use)) measure_unnamed(tree, use);
}
