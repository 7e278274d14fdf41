/* Names in a folder, read in place: opendir() allocates, and on some machines the mapping and unmapping that goes with it costs
 * more than all else a short run does.
 *
 *   char buffer[1024] __attribute__((aligned(8)));
 *   long got;
 *   while ((got = folder_entries_read(folder, buffer, sizeof buffer)) > 0) {
 *     for (long at = 0; at < got;) use(folder_entries_next(buffer, &at)->name);
 *   } */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_FOLDER_ENTRIES_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_FOLDER_ENTRIES_H_

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As the kernel lays them out. */
struct folder_entry {
  uint64_t inode;
  int64_t next; /* position after this entry */
  unsigned short length;
  unsigned char type;
  char name[];
};

/* Bytes read, 0 at the end, -1 with errno. */
static inline long folder_entries_read(int folder, char* buffer, unsigned size) {
  return syscall(SYS_getdents64, folder, buffer, size);
}

static inline const struct folder_entry* folder_entries_next(const char* buffer, long* at) {
  const struct folder_entry* const entry = (const struct folder_entry*)(buffer + *at);
  *at += entry->length;
  return entry;
}

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_FOLDER_ENTRIES_H_ */
