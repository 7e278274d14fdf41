/* The locked child: started for the supervisor, it gives up everything the policy does not grant, proves it, and becomes the
 * program. It borrows the supervisor's memory until then (CLONE_VM), so what it leaves in `struct lock` is the report.
 *
 * From level 2 on it is the child of an init, the first process of the run's own namespaces, which borrows the supervisor's
 * memory for as long as the run lasts (see init.h). */
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
  int level; /* of isolation, wanted by this attempt */
  uid_t uid; /* the run's own; valid when `changes_uid` */
  gid_t gid; /* likewise */
  int changes_uid;
  int uid_is_private;                    /* no other process of the machine has it */
  pid_t parent;                          /* of the locked child, as it sees it */
  int filter_error;                      /* of the filter of system calls; 0: installed */
  int executable;                        /* where the open program is now, or -1 */
  int landlock_abi;                      /* what the path filter was made for */
  const struct namespace_marks* outside; /* the supervisor's own, to compare with */

  /* Out. */
  enum conclave_step step; /* the step reached */
  int error;               /* why `step` failed; 0 once the program runs */
  int failed_level;        /* the level that cannot be had without the step or layer that failed */
  const char* what;        /* on what it failed, or NULL */
  char what_buffer[128];
  struct layer_proof proofs[CONCLAVE_LAYER_COUNT];
  int32_t step_us[CONCLAVE_STEP_COUNT];
};

/* Chooses the run's uid. Host as root: one of its own for each run, so that two runs cannot signal or trace each other. */
void lock_choose_uid(struct lock* lock);

/* Starts the program at `lock->level`; `*init` is the init's pid, or 0 below level 2. Returns the program's pid, or -1 with
 * `step`, `error`, `what` and `failed_level` saying why not. */
pid_t lock_start(struct lock* lock, pid_t* init);

/* All that the locked child does; does not return. */
int lock_locked_child(void* lock);

/* One step, timed, with `error` and `failed_level` set where it fails. Returns 0 or the error. */
int lock_step(struct lock* lock, enum conclave_step step, int (*apply)(struct lock*));

/* Steps that an init takes as well. */
int lock_take_uid(struct lock* lock);
int lock_drop_capabilities(struct lock* lock);

/* Notes why a layer could not be had. */
void lock_blame(struct lock* lock, enum conclave_layer layer, int error, const char* what);

/* Tries, in the locked child, what the layers forbid; fills `proofs`. Returns 0, or EPERM when a required one did not hold. */
int lock_prove(struct lock* lock);

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_LOCK_H_ */
