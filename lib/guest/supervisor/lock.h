/* The locked child: started by the supervisor, it gives up everything the policy does not grant, proves it, and becomes the
 * program. It borrows the supervisor's memory until then (CLONE_VM), so what it leaves in `struct lock` is the report. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_LOCK_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_LOCK_H_

#include <sys/types.h>

#include "lib/guest/supervisor/policy.h"

struct layer_proof {
  int error; /* 0: achieved */
  char detail[160];
};

struct lock {
  const struct policy* policy;
  pid_t supervisor;
  uid_t uid; /* the run's own; valid when `changes_uid` */
  int changes_uid;
  int uid_is_private; /* no other process of the machine has it */
  int filter_error;   /* of the process filter; 0: installed */
  int executable;     /* where the open program is now, or -1 */

  /* Out. */
  enum conclave_step step; /* the step reached */
  int error;               /* why `step` failed; 0 once the program runs */
  const char* what;        /* on what it failed, or NULL */
  char what_buffer[128];
  struct layer_proof proofs[CONCLAVE_LAYER_COUNT];
};

/* Chooses the run's uid. Host as root: one of its own for each run, so that two runs cannot signal or trace each other. */
void lock_choose_uid(struct lock* lock);

/* Starts the program. Returns its pid, or -1 with `step`, `error` and `what` saying why not. */
pid_t lock_start(struct lock* lock);

/* Tries, in the locked child, what the layers forbid; fills `proofs`. Returns 0, or EPERM when a required one did not hold. */
int lock_prove(struct lock* lock);

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_LOCK_H_ */
