#include "lib/guest/supervisor/memory_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sandbox/empty_folder.h"

static void remove_entry(int place, const char* name, mode_t mode) {
  if (unlinkat(place, name, S_ISDIR(mode) ? AT_REMOVEDIR : 0) == 0 || !S_ISDIR(mode)) return;
  const int folder = openat(place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  if (conclave_empty_folder(folder, 0) == 0) unlinkat(place, name, AT_REMOVEDIR);
  close(folder);
}

void memory_files_remove(uid_t uid) {
  DIR* const entries = opendir("/dev/shm");
  if (entries == NULL) return;
  for (const struct dirent* entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
    struct stat what;
    if (fstatat(dirfd(entries), entry->d_name, &what, AT_SYMLINK_NOFOLLOW) != 0 || what.st_uid != uid) continue;
    remove_entry(dirfd(entries), entry->d_name, what.st_mode);
  }
  closedir(entries);
}
