/* The watchdog: waits for the program to end, and ends it when a limit is passed, the host asks, or the host is gone.
 * It lives in the supervisor, so that a host that is stopped or starved cannot suspend the limits. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_WATCH_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_WATCH_H_

#include <stdint.h>

#include "lib/guest/supervisor/disk.h"
#include "lib/guest/supervisor/policy.h"
#include "lib/guest/supervisor/tree.h"

struct watch {
  const struct policy* policy;
  struct tree* tree;
  int64_t started_ns;
  int host_process;  /* pidfd, or -1 on kernels without */
  int child_signals; /* signalfd for SIGCHLD */
  int64_t seen;      /* the value that broke the limit */
  struct disk_use disk;
};

/* Returns what ended the run first; the tree may still live. */
enum conclave_cause watch_run(struct watch* watch);

/* What the final state of the folder says, once the tree is dead. */
enum conclave_cause watch_disk(struct watch* watch);

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_WATCH_H_ */
