/* What a run keeps on disk: everything in its private folder, and files it holds open though they have no name any more. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_DISK_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_DISK_H_

#include <stdint.h>

#include "lib/guest/supervisor/policy.h"
#include "lib/guest/supervisor/tree.h"

struct disk_use {
  int64_t bytes;  /* allocated */
  int64_t inodes; /* below the folder itself */
  int too_deep;   /* nested beyond CONCLAVE_MAX_FOLDER_DEPTH; counted down to there */
  int incomplete; /* the folder could not be read */
};

/* Readies memory for what follows. */
void disk_prepare(void);

/* Files the host lent are not the run's use: remembers them, before the supervisor closes its copies. */
void disk_exclude_lent(const struct policy* policy);

/* Counts, and stops early once a limit of the policy is passed. Never follows a link, never blocks on what it finds. */
void disk_measure(const struct policy* policy, const struct tree* tree, struct disk_use* use);

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_DISK_H_ */
