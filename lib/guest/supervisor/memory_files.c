#include "lib/guest/supervisor/memory_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/guest/supervisor/folder_entries.h"
#include "lib/sandbox/empty_folder.h"

static void remove_entry(int place, const char* name, mode_t mode) {
  if (unlinkat(place, name, S_ISDIR(mode) ? AT_REMOVEDIR : 0) == 0 || !S_ISDIR(mode)) return;
  const int folder = openat(place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  if (conclave_empty_folder(folder, 0) == 0) unlinkat(place, name, AT_REMOVEDIR);
  close(folder);
}

void memory_files_remove(uid_t uid) {
  const int place = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (place < 0) return;
  char buffer[2048] __attribute__((aligned(8)));
  long got;
  while ((got = folder_entries_read(place, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < got;) {
      const struct folder_entry* const entry = folder_entries_next(buffer, &at);
      struct stat what;
      if (fstatat(place, entry->name, &what, AT_SYMLINK_NOFOLLOW) != 0 || what.st_uid != uid) continue;
      remove_entry(place, entry->name, what.st_mode);
    }
  }
  close(place);
}
