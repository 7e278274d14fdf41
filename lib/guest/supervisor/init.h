/* Namespaces of the run's own, and the init that holds them. The init is the first process in them: when it ends the kernel
 * ends all others, so nothing of a run can outlive it. It makes the run's file tree, starts the locked child, waits for it, and
 * reaps what the run leaves behind. It is of the supervisor's code and memory and never runs anything else. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_INIT_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_INIT_H_

#include <sys/resource.h>
#include <sys/types.h>

#include "lib/guest/supervisor/lock.h"

/* Written by the init, read by the supervisor once the init has ended. */
struct init_report {
  int main_ended; /* 0: the init was ended before the program was */
  int main_status;
  struct rusage main_usage;
  int left; /* processes that were still there when the program had ended */
};

extern struct init_report init_report;

/* The identity of namespaces that nothing else tells apart, and of the root folder. */
enum { NAMESPACE_USER, NAMESPACE_IPC, NAMESPACE_NETWORK, NAMESPACE_COUNT };
struct namespace_marks {
  unsigned long long namespaces[NAMESPACE_COUNT]; /* 0: not known */
  unsigned long long root_device, root_inode;
};

/* That of the calling process; 0 when it cannot be told. */
unsigned long long namespace_look(int which);

/* What of it a run of `level` is compared with. */
void namespaces_look(int level, struct namespace_marks* marks);

/* Starts init and locked child. Returns the init's pid, or -1 as lock_start does. */
pid_t init_start(struct lock* lock);

/* The one child of the init, in the supervisor's numbers; 0 when there is none any more. */
pid_t init_program(pid_t init);

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_INIT_H_ */
