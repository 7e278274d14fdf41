/* The run's process tree: everything that descends from the supervisor, which is its subreaper, so that nothing leaves it. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_TREE_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_TREE_H_

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Far more than any policy allows: a bomb is over its limit long before the table is full. */
enum { TREE_CAPACITY = 4096 };

struct tree_member {
  pid_t pid;
  uint64_t started;   /* tells a reused pid from the old one */
  uint64_t own_ticks; /* CPU when last seen */
};

struct tree {
  pid_t main;
  pid_t init;            /* of the run's own process namespace, or 0; no part of the run */
  int main_process;      /* a pidfd of it, where the init is its parent; else -1 */
  int may_have_children; /* 0: the kernel refuses the main process any */

  /* The main process, once it has ended. */
  int main_ended;
  int main_status;
  struct rusage main_usage;

  /* As last seen. */
  int32_t processes;
  int32_t threads;
  int64_t memory_bytes;
  int main_stopped;

  /* Over the whole run. */
  int64_t cpu_ns;
  int64_t memory_peak_bytes; /* -1: never seen alive */
  int64_t address_peak_bytes;
  int32_t processes_peak;
  int32_t threads_peak;

  /* The bookkeeping behind cpu_ns. */
  struct tree_member members[TREE_CAPACITY];
  int member_count;
  uint64_t departed_ticks;
};

void tree_begin(struct tree* tree, pid_t main, pid_t init, int may_have_children);

/* Looks at every process of the tree and updates what was seen. */
void tree_sample(struct tree* tree);

/* Reaps what has ended. Returns 0 when no child is left at all, else 1. */
int tree_reap(struct tree* tree);

/* Kills and reaps until nothing is left; returns how many processes there were at first. `private_uid`: the run's own, or 0. */
int tree_kill(struct tree* tree, uid_t private_uid);

/* The pids of the tree, at most `capacity`. */
int tree_list(const struct tree* tree, pid_t* out, int capacity);

/* CPU of all that was reaped, exact. */
void tree_reaped_cpu(int64_t* user_us, int64_t* system_us);

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_TREE_H_ */
