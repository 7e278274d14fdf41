#include "lib/sandbox/empty_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Where the work stands: folders found inside folders are lifted to the top, so that no level is ever deeper than two. */
struct emptying {
  int top;
  unsigned long next_name;
  int error;        /* the last one */
  int64_t until_ns; /* 0: without end */
};

static int out_of_time(const struct emptying* work) {
  struct timespec now;
  if (work->until_ns == 0) return 0;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec >= work->until_ns;
}

static int is_dots(const char* name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

/* Removes a file or an empty folder. */
static int remove_simple(int parent, const char* name) {
  return unlinkat(parent, name, 0) == 0 || unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

/* Gives the folder's owner, which may be us, the right to read and change it. Never follows a link. */
static int open_up(int parent, const char* name) {
  struct stat what;
  if (fstatat(parent, name, &what, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  if (!S_ISDIR(what.st_mode)) {
    errno = EPERM; /* a file that could not be removed */
    return 0;
  }
  return (what.st_mode & 0700) == 0700 || fchmodat(parent, name, 0700, 0) == 0;
}

static DIR* read_folder(int parent, const char* name) {
  const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return NULL;
  DIR* const stream = fdopendir(folder);
  if (stream == NULL) close(folder);
  return stream;
}

static int lift(struct emptying* work, int parent, const char* name) {
  if (!open_up(parent, name)) return 0;
  for (;;) {
    char fresh[32];
    snprintf(fresh, sizeof fresh, ".lifted-%lu", work->next_name++);
    if (renameat(parent, name, work->top, fresh) == 0) return 1;
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) return 0;
  }
}

/* Empties the folder `name` of the top by removing its files and lifting its folders, then removes it. */
static int remove_folder(struct emptying* work, const char* name) {
  if (!open_up(work->top, name)) return 0;
  DIR* const stream = read_folder(work->top, name);
  if (stream == NULL) return 0;
  int changed = 0;
  for (const struct dirent* entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
    if (is_dots(entry->d_name)) continue;
    if (out_of_time(work)) break;
    if (remove_simple(dirfd(stream), entry->d_name) || lift(work, dirfd(stream), entry->d_name)) {
      changed = 1;
    } else {
      work->error = errno;
    }
  }
  closedir(stream);
  return unlinkat(work->top, name, AT_REMOVEDIR) == 0 || changed;
}

int conclave_empty_folder(int folder, int64_t until_ns) {
  struct emptying work = {folder, 0, 0, until_ns};
  if (fchmod(folder, 0700) != 0) return errno;
  for (;;) {
    DIR* const stream = read_folder(folder, ".");
    if (stream == NULL) return errno;
    int found = 0;
    int changed = 0;
    for (const struct dirent* entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
      if (is_dots(entry->d_name)) continue;
      found = 1;
      if (out_of_time(&work)) {
        closedir(stream);
        return ETIME;
      }
      if (remove_simple(folder, entry->d_name) || remove_folder(&work, entry->d_name)) {
        changed = 1;
      } else {
        work.error = errno;
      }
    }
    closedir(stream);
    if (!found) return 0;
    if (!changed) return work.error != 0 ? work.error : EBUSY;
  }
}
