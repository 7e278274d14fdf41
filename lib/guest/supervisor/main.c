/* conclave-supervisor: started by the host for one run, or to remove a folder. It takes the policy, starts the locked child,
 * watches over its tree, kills what is left of it, and tells the host each step. See lib/sandbox/wire.h for what is said. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/guest/supervisor/init.h"
#include "lib/guest/supervisor/kernel.h"
#include "lib/guest/supervisor/lock.h"
#include "lib/guest/supervisor/memory_files.h"
#include "lib/guest/supervisor/policy.h"
#include "lib/guest/supervisor/prefault.h"
#include "lib/guest/supervisor/report.h"
#include "lib/guest/supervisor/watch.h"
#include "lib/sandbox/empty_folder.h"

static struct policy policy;
static struct lock lock;
static struct tree tree;
static struct watch watch;

/* As many descriptors as the host allows: the policy's own limit is for the program, not for us. */
static void raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

static int fail(enum conclave_step step, int error, const char* what) {
  report_failed(step, error, what == NULL ? "" : what);
  return 1;
}

/* Blocks every signal, so that nobody's Ctrl-C ends the watch, and takes SIGCHLD through a descriptor. */
static int take_signals(void) {
  sigset_t all, child;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  return signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void report_layers(void) {
  for (int layer = 0; layer < CONCLAVE_LAYER_COUNT; ++layer) {
    if (lock.proofs[layer].detail[0] == '\0') continue; /* not reached */
    report_layer((enum conclave_layer)layer, lock.proofs[layer].error, lock.proofs[layer].detail);
  }
}

/* The program has the lent descriptors now; the host must see end-of-file when the program closes its own. */
static void close_pipes(void) {
  for (uint32_t i = 0; i < policy.limits.grants; ++i) close(policy.grant_source[i]);
  policy.limits.grants = 0;
  if (policy.executable >= 0) close(policy.executable);
}

/* For when the host has ended: nobody else is left to do it. */
static void remove_folder(void) {
  if (conclave_empty_folder(policy.folder, 0) == 0) rmdir(policy.folder_path);
}

/* A host that ends closes the channel first and gives up its children a moment later. */
static int host_is_gone(int error) { return error == EPIPE || error == ECONNRESET || getppid() != policy.limits.host_pid; }

/* The layers of a level that could not be had, so that the host can say why. */
static void note_missing_level(void) {
  static const enum conclave_layer kNamespaces[] = {CONCLAVE_LAYER_USER_NAMESPACE, CONCLAVE_LAYER_PROCESS_NAMESPACE,
                                                    CONCLAVE_LAYER_IPC_NAMESPACE, CONCLAVE_LAYER_MOUNT_NAMESPACE};
  switch (lock.step) {
    case CONCLAVE_STEP_NAMESPACES:
      if (lock.level >= 3) lock_blame(&lock, CONCLAVE_LAYER_NETWORK_NAMESPACE, lock.error, "clone");
      for (size_t i = 0; i < sizeof kNamespaces / sizeof kNamespaces[0]; ++i)
        lock_blame(&lock, kNamespaces[i], lock.error, "clone");
      break;
    case CONCLAVE_STEP_ID_MAPS: lock_blame(&lock, CONCLAVE_LAYER_USER_NAMESPACE, lock.error, "uid_map"); break;
    case CONCLAVE_STEP_MOUNTS: lock_blame(&lock, CONCLAVE_LAYER_MOUNT_NAMESPACE, lock.error, lock.what); break;
    case CONCLAVE_STEP_PATH_FILTER: lock_blame(&lock, CONCLAVE_LAYER_PATH_FILTER, lock.error, lock.what); break;
    case CONCLAVE_STEP_SYSCALL_FILTER: lock_blame(&lock, CONCLAVE_LAYER_SYSCALL_FILTER, lock.error, "seccomp"); break;
    default: break; /* a canary, whose proof is there */
  }
}

/* From the preferred level down, as long as what fails belongs to a level that the run may do without. */
static pid_t start_at_best_level(pid_t* init) {
  lock.level = policy.limits.preferred_level;
  for (;;) {
    const pid_t child = lock_start(&lock, init);
    if (child >= 0) return child;
    note_missing_level();
    if (lock.failed_level <= policy.limits.required_level) return -1;
    lock.level = lock.failed_level - 1;
  }
}

static int run(int child_signals, int host_process) {
  lock.policy = &policy;
  lock.supervisor = getpid();
  lock_choose_uid(&lock);
  if (lock.changes_uid && fchown(policy.folder, lock.uid, lock.uid) != 0) {
    return fail(CONCLAVE_STEP_FOLDER_OWNER, errno, policy.folder_path);
  }
  static struct namespace_marks outside;
  if (policy.limits.preferred_level >= 2) namespaces_look(policy.limits.preferred_level, &outside);
  lock.outside = &outside;
  pid_t init = 0;
  const pid_t child = start_at_best_level(&init);
  report_layers();
  if (child < 0) {
    tree_reap(&tree);
    if (host_is_gone(lock.error)) remove_folder();
    return fail(lock.step, lock.error, lock.what);
  }
  watch = (struct watch){.policy = &policy,
                         .tree = &tree,
                         .started_ns = monotonic_ns(),
                         .host_process = host_process,
                         .child_signals = child_signals};
  report_started(watch.started_ns, lock.step_us);
  disk_exclude_lent(&policy);
  close_pipes();
  tree_begin(&tree, child, init, policy.limits.processes != 1 || lock.filter_error != 0);

  enum conclave_cause cause = watch_run(&watch);
  const int ended_itself = tree.main_ended;
  const int left = tree_kill(&tree, lock.uid_is_private ? lock.uid : 0);
  const int64_t wall_ns = monotonic_ns() - watch.started_ns;
  if (lock.uid_is_private) memory_files_remove(lock.uid);
  const enum conclave_cause disk = watch_disk(&watch);
  if (cause == CONCLAVE_CAUSE_EXITED && disk != CONCLAVE_CAUSE_NONE) cause = disk;

  struct conclave_end end;
  memset(&end, 0, sizeof end);
  if (WIFSIGNALED(tree.main_status)) {
    end.signal = WTERMSIG(tree.main_status);
  } else {
    end.exit_code = WEXITSTATUS(tree.main_status);
  }
  end.stopped = tree.main_stopped && !ended_itself;
  end.processes_peak = tree.processes_peak;
  end.threads_peak = tree.threads_peak;
  end.processes_left = ended_itself ? left : 0;
  end.seen = watch.seen;
  end.wall_ns = wall_ns;
  tree_reaped_cpu(&end.cpu_user_us, &end.cpu_system_us);
  end.memory_peak_bytes = tree.memory_peak_bytes;
  end.address_peak_bytes = tree.address_peak_bytes;
  end.disk_bytes = watch.disk.incomplete ? -1 : watch.disk.bytes;
  end.disk_inodes = watch.disk.incomplete ? -1 : watch.disk.inodes;
  if (cause == CONCLAVE_CAUSE_HOST_GONE) remove_folder();
  report_ended(cause, &end);
  return 0;
}

/* A /proc of another process namespace, as after `unshare --pid` alone, shows strangers under the numbers of our processes:
 * they would be measured, and ended, in their place. */
static int proc_is_ours(void) {
  char text[32];
  const ssize_t length = readlink("/proc/self", text, sizeof text - 1);
  if (length <= 0) return 0;
  text[length] = '\0';
  return atoi(text) == (int)getpid();
}

/* Removes the folder at CHANNEL, whose path is given, in a process that nobody waits for: the host goes on, or ends, while a
 * folder with very many entries is being removed. */
static int remove_in_background(const char* path) {
  take_signals();
  const pid_t remover = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (remover != 0) return remover < 0;
  if (conclave_empty_folder(CHANNEL, 0) == 0) rmdir(path);
  return 0;
}

int main(int argument_count, char** arguments) {
  /* What the probe runs inside the sandbox: a program that is always at hand. */
  if (argument_count == 2 && strcmp(arguments[1], "--nothing") == 0) return 0;
  if (argument_count == 3 && strcmp(arguments[1], "--remove") == 0) return remove_in_background(arguments[2]);

  const char* what = NULL;
  raise_descriptor_limit();
  prefault(&lock, sizeof lock);
  disk_prepare();
  const int child_signals = take_signals();
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* the program must not look into its supervisor, where both are one user's */
  const int error = policy_receive(&policy, &what);
  if (error != 0) return fail(CONCLAVE_STEP_POLICY, error, what);
  if (child_signals < 0) return fail(CONCLAVE_STEP_POLICY, EMFILE, "signalfd");
  if (access("/proc/self/status", R_OK) != 0) return fail(CONCLAVE_STEP_PROC, errno, "/proc/self/status");
  if (!proc_is_ours()) return fail(CONCLAVE_STEP_PROC, ESRCH, "/proc, which shows another process namespace than the host's");
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) return fail(CONCLAVE_STEP_SUBREAPER, errno, NULL);
  /* Besides end-of-file on the channel: a fork of the host may hold the other end open after the host itself is gone. */
  const int host_process = (int)syscall(SYS_pidfd_open, policy.limits.host_pid, 0);
  if (host_is_gone(0)) {
    remove_folder();
    return 1;
  }
  return run(child_signals, host_process);
}
