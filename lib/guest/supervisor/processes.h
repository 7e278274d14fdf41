/* What /proc tells about one process. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_PROCESSES_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_PROCESSES_H_

#include <stdint.h>
#include <sys/types.h>

struct process_view {
  char state; /* 'R', 'S', 'T', 'Z', ... */
  pid_t parent;
  int32_t threads;
  uint64_t started;
  uint64_t own_ticks;      /* user plus system, all its threads */
  uint64_t children_ticks; /* of children it has waited for */
  int64_t memory_bytes;    /* RssAnon + RssShmem; 0 for a zombie */
  int64_t address_peak_bytes;
};

/* Returns 0 when there is no such process any more. */
int process_look(pid_t pid, struct process_view* view);

/* State, parent and times only: one file instead of two. */
int process_look_briefly(pid_t pid, struct process_view* view);

/* Children of all threads of `pid`, at most `capacity`; -1, for the calling process, when this kernel does not list children.
 */
int process_children(pid_t pid, pid_t* out, int capacity);

/* Every process of the machine, at most `capacity`. */
int process_all(pid_t* out, int capacity);

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_PROCESSES_H_ */
