/* Files in memory that a run left where every user may write. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_MEMORY_FILES_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_MEMORY_FILES_H_

#include <sys/types.h>

/* Removes what `uid` owns in /dev/shm. To be called when the tree is dead, and only with a uid that the run had to itself: of
 * an ordinary user's files nobody can tell which the run made. */
void memory_files_remove(uid_t uid);

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_MEMORY_FILES_H_ */
