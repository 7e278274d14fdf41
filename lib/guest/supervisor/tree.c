#include "lib/guest/supervisor/tree.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/guest/supervisor/init.h"
#include "lib/guest/supervisor/kernel.h"
#include "lib/guest/supervisor/processes.h"

void tree_begin(struct tree* tree, pid_t main, pid_t init, int may_have_children) {
  tree->main = main;
  tree->init = init;
  tree->main_process = init != 0 ? (int)syscall(SYS_pidfd_open, main, 0) : -1;
  tree->may_have_children = may_have_children;
  tree->memory_peak_bytes = -1;
  tree->processes_peak = 1;
  tree->threads_peak = 1;
}

static int contains(const pid_t* pids, int count, pid_t pid) {
  for (int i = 0; i < count; ++i) {
    if (pids[i] == pid) return 1;
  }
  return 0;
}

/* Where the kernel does not list children: everything whose parent is `root` or in the list joins it, until nothing new does.
 */
static int list_by_parents(pid_t root, pid_t* out, int capacity) {
  static pid_t all[TREE_CAPACITY];
  const int all_count = process_all(all, TREE_CAPACITY);
  int count = 0;
  for (int before = -1; before != count;) {
    before = count;
    for (int i = 0; i < all_count; ++i) {
      struct process_view view;
      if (count == capacity || contains(out, count, all[i]) || !process_look_briefly(all[i], &view)) continue;
      if (view.parent == root || contains(out, count, view.parent)) out[count++] = all[i];
    }
  }
  return count;
}

int tree_list(const struct tree* tree, pid_t* out, int capacity) {
  if (!tree->may_have_children) {
    out[0] = tree->main;
    return tree->main_ended ? 0 : 1;
  }
  const pid_t root = tree->init != 0 ? tree->init : getpid();
  int count = process_children(root, out, capacity);
  if (count < 0 || (count == 0 && tree->init != 0)) return list_by_parents(root, out, capacity);
  for (int i = 0; i < count; ++i) { /* `count` grows as children of children come in */
    const int more = process_children(out[i], out + count, capacity - count);
    if (more > 0) count += more;
  }
  return count;
}

static const struct tree_member* find_member(const struct tree_member* members, int count, pid_t pid, uint64_t started) {
  for (int i = 0; i < count; ++i) {
    if (members[i].pid == pid && members[i].started == started) return &members[i];
  }
  return NULL;
}

/* CPU of the tree, from two sums that each miss something else: what processes are seen to have used, kept when they vanish
 * (misses the last moments), and what parents were told by the kernel (misses children that were never waited for). */
static void account_cpu(struct tree* tree, const struct tree_member* now, int count, uint64_t live, uint64_t waited) {
  for (int i = 0; i < tree->member_count; ++i) {
    const struct tree_member* const before = &tree->members[i];
    if (find_member(now, count, before->pid, before->started) == NULL) tree->departed_ticks += before->own_ticks;
  }
  memcpy(tree->members, now, (size_t)count * sizeof *now);
  tree->member_count = count;

  const int64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);
  int64_t user_us, system_us;
  tree_reaped_cpu(&user_us, &system_us);
  const int64_t seen = (int64_t)(live + tree->departed_ticks) * tick_ns;
  const int64_t told = (int64_t)(live + waited) * tick_ns + (user_us + system_us) * 1000;
  if (seen > tree->cpu_ns) tree->cpu_ns = seen;
  if (told > tree->cpu_ns) tree->cpu_ns = told;
}

void tree_sample(struct tree* tree) {
  static pid_t pids[TREE_CAPACITY];
  static struct tree_member now[TREE_CAPACITY];
  const int listed = tree_list(tree, pids, TREE_CAPACITY);
  int32_t threads = 0;
  int64_t memory = 0;
  uint64_t live = 0, waited = 0;
  int count = 0;
  for (int i = 0; i < listed; ++i) {
    struct process_view view;
    if (!process_look(pids[i], &view)) continue;
    now[count++] = (struct tree_member){pids[i], view.started, view.own_ticks};
    threads += view.threads;
    memory += view.memory_bytes;
    live += view.own_ticks;
    waited += view.children_ticks;
    if (view.address_peak_bytes > tree->address_peak_bytes) tree->address_peak_bytes = view.address_peak_bytes;
    if (pids[i] == tree->main) tree->main_stopped = view.state == 'T';
  }
  account_cpu(tree, now, count, live, waited);
  tree->processes = count;
  tree->threads = threads;
  tree->memory_bytes = memory;
  if (count > 0 && memory > tree->memory_peak_bytes) tree->memory_peak_bytes = memory;
  if (count > tree->processes_peak) tree->processes_peak = count;
  if (threads > tree->threads_peak) tree->threads_peak = threads;
}

int tree_reap(struct tree* tree) {
  for (;;) {
    int status;
    struct rusage usage;
    const pid_t pid = wait4(-1, &status, WNOHANG | __WALL, &usage);
    if (pid == 0) return 1;
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) return errno != ECHILD;
    if (tree->init != 0 && pid == tree->init) {
      tree->main_ended = 1;
      tree->main_status = init_report.main_ended ? init_report.main_status : status;
      tree->main_usage = init_report.main_usage;
    } else if (pid == tree->main) {
      tree->main_ended = 1;
      tree->main_status = status;
      tree->main_usage = usage;
    }
  }
}

/* All processes of the run's own uid at once, so that none can slip away by forking while others are being killed. */
static void kill_uid(uid_t uid) {
  const pid_t killer = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (killer == 0) {
    if (syscall(SYS_setresuid, uid, uid, uid) == 0) kill(-1, SIGKILL);
    _exit(0);
  }
}

/* A pid in a list may have ended and come to mean a stranger: hold the process, look whether it is ours, then signal it. */
static void signal_member(pid_t pid, int number, const pid_t* members, int count) {
  const int process = (int)syscall(SYS_pidfd_open, pid, 0);
  const int gone = process < 0 && errno == ESRCH;
  struct process_view view;
  if (process_look_briefly(pid, &view) && (view.parent == getpid() || contains(members, count, view.parent))) {
    if (process >= 0) {
      syscall(SYS_pidfd_send_signal, process, number, NULL, 0);
    } else if (!gone) { /* a kernel, or a filter of the host's, without pidfds */
      kill(pid, number);
    }
  }
  if (process >= 0) close(process);
}

static int signal_all(const struct tree* tree, int number) {
  static pid_t pids[TREE_CAPACITY];
  const int count = tree_list(tree, pids, TREE_CAPACITY);
  for (int i = 0; i < count; ++i) signal_member(pids[i], number, pids, count);
  return count;
}

/* The init kills and reaps all others when the program has ended, which adds up what they used; should it not get to that, the
 * kernel ends them with the init. */
static int kill_namespace(struct tree* tree) {
  static pid_t pids[TREE_CAPACITY];
  const int patience_ms = 100;
  const int found = tree->main_ended ? init_report.left : tree_list(tree, pids, TREE_CAPACITY);
  for (int waited_ms = 0; tree_reap(tree); ++waited_ms) {
    if (tree->main_process >= 0) syscall(SYS_pidfd_send_signal, tree->main_process, SIGKILL, NULL, 0);
    if (tree->main_process < 0 || waited_ms >= patience_ms) kill(tree->init, SIGKILL); /* our own child, not yet reaped */
    if (!tree_reap(tree)) break;
    poll(NULL, 0, 1);
  }
  return found;
}

int tree_kill(struct tree* tree, uid_t private_uid) {
  if (tree->init != 0) return kill_namespace(tree);
  int found = -1;
  while (tree_reap(tree)) {
    int count = 1;
    if (!tree->may_have_children) {
      kill(tree->main, SIGKILL); /* our own child, not yet reaped: the pid cannot mean another */
    } else {
      /* Stopped processes do not fork: one sweep to hold them, one to end them, and again for what was born in between. */
      signal_all(tree, SIGSTOP);
      count = signal_all(tree, SIGKILL);
      if (private_uid != 0) kill_uid(private_uid);
    }
    if (found < 0) found = count;
    if (!tree_reap(tree)) break;
    poll(NULL, 0, 1);
  }
  return found < 0 ? 0 : found;
}

void tree_reaped_cpu(int64_t* user_us, int64_t* system_us) {
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  *user_us = (int64_t)usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec;
  *system_us = (int64_t)usage.ru_stime.tv_sec * 1000000 + usage.ru_stime.tv_usec;
}
