#include "lib/guest/supervisor/watch.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/guest/supervisor/report.h"

static const int64_t kMillisecond = 1000000;
static const int64_t kTick = 10 * kMillisecond;
static const int64_t kShortestScanGap = 20 * kMillisecond;
static const int64_t kScanShare = 10; /* measuring the disk may take one part in so many of the time */

/* What the host says: a command, or by end-of-file that it is gone. */
static enum conclave_cause hear_host(void) {
  struct conclave_command command;
  const ssize_t count = recv(CHANNEL, &command, sizeof command, MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN || errno == EINTR ? CONCLAVE_CAUSE_NONE : CONCLAVE_CAUSE_HOST_GONE;
  if (count == (ssize_t)sizeof command && command.cause == CONCLAVE_CAUSE_OUTPUT) return CONCLAVE_CAUSE_OUTPUT;
  return count == 0 ? CONCLAVE_CAUSE_HOST_GONE : CONCLAVE_CAUSE_CANCELLED;
}

static enum conclave_cause check_clock(struct watch* watch, int64_t now) {
  const struct conclave_policy* const limits = &watch->policy->limits;
  if (now - watch->started_ns >= limits->wall_ns) {
    watch->seen = now - watch->started_ns;
    return CONCLAVE_CAUSE_WALL;
  }
  return limits->deadline_ns != 0 && now >= limits->deadline_ns ? CONCLAVE_CAUSE_DEADLINE : CONCLAVE_CAUSE_NONE;
}

static enum conclave_cause check_tree(struct watch* watch) {
  const struct conclave_policy* const limits = &watch->policy->limits;
  struct tree* const tree = watch->tree;
  tree_sample(tree);
  const struct {
    enum conclave_cause cause;
    int64_t seen;
    int64_t limit;
  } checks[] = {
      {CONCLAVE_CAUSE_MEMORY, tree->memory_bytes, limits->memory_bytes},
      {CONCLAVE_CAUSE_PROCESSES, tree->processes, limits->processes},
      {CONCLAVE_CAUSE_THREADS, tree->threads, limits->threads},
      {CONCLAVE_CAUSE_CPU, tree->cpu_ns, limits->cpu_ns},
  };
  for (size_t i = 0; i < sizeof checks / sizeof checks[0]; ++i) {
    if (checks[i].seen > checks[i].limit) {
      watch->seen = checks[i].seen;
      return checks[i].cause;
    }
  }
  return CONCLAVE_CAUSE_NONE;
}

enum conclave_cause watch_disk(struct watch* watch) {
  const struct conclave_policy* const limits = &watch->policy->limits;
  struct disk_use* const use = &watch->disk;
  disk_measure(watch->policy, watch->tree, use);
  if (use->bytes > limits->disk_bytes) {
    watch->seen = use->bytes;
    return CONCLAVE_CAUSE_DISK_BYTES;
  }
  if (use->inodes > limits->disk_inodes) {
    watch->seen = use->inodes;
    return CONCLAVE_CAUSE_DISK_INODES;
  }
  if (use->too_deep) {
    watch->seen = CONCLAVE_MAX_FOLDER_DEPTH;
    return CONCLAVE_CAUSE_DISK_DEPTH;
  }
  return CONCLAVE_CAUSE_NONE;
}

static void drain_signals(int child_signals) {
  struct signalfd_siginfo ignored[8];
  while (read(child_signals, ignored, sizeof ignored) > 0) {}
}

/* Milliseconds until `at`, rounded up. */
static int until(int64_t at, int64_t now) { return at <= now ? 0 : (int)((at - now + kMillisecond - 1) / kMillisecond); }

enum conclave_cause watch_run(struct watch* watch) {
  const struct conclave_policy* const limits = &watch->policy->limits;
  int64_t next_tick = watch->started_ns + kTick;
  int64_t next_scan = watch->started_ns + kShortestScanGap;
  for (;;) {
    int64_t now = monotonic_ns();
    int64_t wake = next_tick;
    if (watch->started_ns + limits->wall_ns < wake) wake = watch->started_ns + limits->wall_ns;
    if (limits->deadline_ns != 0 && limits->deadline_ns < wake) wake = limits->deadline_ns;
    struct pollfd sources[] = {{watch->child_signals, POLLIN, 0}, {CHANNEL, POLLIN, 0}, {watch->host_process, POLLIN, 0}};
    if (poll(sources, 3, until(wake, now)) < 0) {
      sources[0].revents = sources[1].revents = POLLIN; /* not known: look */
      sources[2].revents = 0;
    }

    if (sources[0].revents != 0) {
      drain_signals(watch->child_signals);
      tree_reap(watch->tree);
      if (watch->tree->main_ended) return CONCLAVE_CAUSE_EXITED;
    }
    enum conclave_cause cause = sources[2].revents != 0 ? CONCLAVE_CAUSE_HOST_GONE : CONCLAVE_CAUSE_NONE;
    if (cause == CONCLAVE_CAUSE_NONE && sources[1].revents != 0) cause = hear_host();
    now = monotonic_ns();
    if (cause == CONCLAVE_CAUSE_NONE) cause = check_clock(watch, now);
    if (cause != CONCLAVE_CAUSE_NONE) {
      tree_sample(watch->tree); /* for the report: was it stopped, how much address space */
      return cause;
    }
    if (now >= next_tick) {
      cause = check_tree(watch);
      next_tick = now + kTick;
    }
    if (cause == CONCLAVE_CAUSE_NONE && now >= next_scan) {
      cause = watch_disk(watch);
      const int64_t took = monotonic_ns() - now;
      next_scan = now + took + (took * kScanShare > kShortestScanGap ? took * kScanShare : kShortestScanGap);
    }
    if (cause != CONCLAVE_CAUSE_NONE) return cause;
  }
}
