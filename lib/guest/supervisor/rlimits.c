#include "lib/guest/supervisor/rlimits.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

struct wanted {
  int resource;
  const char* name;
  rlim_t soft;
  rlim_t hard;
};

enum { WANTED_CAPACITY = 16 };

/* Seconds, rounded up, plus one: a backstop that the watchdog, which knows fractions and the whole tree, comes before. */
static rlim_t cpu_seconds(int64_t cpu_ns) { return (rlim_t)((cpu_ns + 999999999) / 1000000000 + 1); }

static int list_wanted(const struct lock* lock, struct wanted* out) {
  const struct conclave_policy* limits = &lock->policy->limits;
  const rlim_t cpu = cpu_seconds(limits->cpu_ns);
  const rlim_t stack = 8u << 20;
  int count = 0;
  out[count++] = (struct wanted){RLIMIT_DATA, "DATA", (rlim_t)limits->data_bytes, (rlim_t)limits->data_bytes};
  out[count++] = (struct wanted){RLIMIT_AS, "AS", (rlim_t)limits->address_bytes, (rlim_t)limits->address_bytes};
  out[count++] = (struct wanted){RLIMIT_CPU, "CPU", cpu, cpu + 1};
  out[count++] = (struct wanted){RLIMIT_FSIZE, "FSIZE", (rlim_t)limits->disk_bytes, (rlim_t)limits->disk_bytes};
  out[count++] = (struct wanted){RLIMIT_NOFILE, "NOFILE", (rlim_t)limits->descriptors, (rlim_t)limits->descriptors};
  out[count++] = (struct wanted){RLIMIT_STACK, "STACK", stack, stack};
  /* One byte, not none: a limit of 0 still starts a core handler that is a pipe; 1 is the kernel's word for "none at all". */
  out[count++] = (struct wanted){RLIMIT_CORE, "CORE", 1, 1};
  out[count++] = (struct wanted){RLIMIT_MEMLOCK, "MEMLOCK", 64u << 10, 64u << 10};
  out[count++] = (struct wanted){RLIMIT_MSGQUEUE, "MSGQUEUE", 0, 0};
  out[count++] = (struct wanted){RLIMIT_SIGPENDING, "SIGPENDING", 256, 256};
  out[count++] = (struct wanted){RLIMIT_NICE, "NICE", 0, 0};
  out[count++] = (struct wanted){RLIMIT_RTPRIO, "RTPRIO", 0, 0};
  /* The kernel counts tasks per uid and user namespace, so this limit is only fair on a uid, or in a namespace, that is the
   * run's alone; there the init counts, too. */
  if (lock->uid_is_private || lock->level >= 2) {
    const rlim_t tasks = (rlim_t)limits->threads + (lock->level >= 2 ? 1 : 0);
    out[count++] = (struct wanted){RLIMIT_NPROC, "NPROC", tasks, tasks};
  }
  return count;
}

int rlimits_apply(struct lock* lock) {
  struct wanted wanted[WANTED_CAPACITY];
  const int count = list_wanted(lock, wanted);
  for (int i = 0; i < count; ++i) {
    const int resource = wanted[i].resource;
    struct rlimit next = {wanted[i].soft, wanted[i].hard};
    struct rlimit now;
    lock->what = wanted[i].name;
    /* A host that is itself limited further limits its runs further, whether it may raise that or not. */
    if (prlimit(0, resource, &next, &now) == 0) {
      if (now.rlim_max >= next.rlim_max) continue;
    } else if (errno != EPERM || getrlimit(resource, &now) != 0) {
      return errno;
    }
    if (next.rlim_max > now.rlim_max) next.rlim_max = now.rlim_max;
    if (next.rlim_cur > next.rlim_max) next.rlim_cur = next.rlim_max;
    if (setrlimit(resource, &next) != 0) return errno;
  }
  lock->what = NULL;
  return 0;
}

int rlimits_prove(const struct lock* lock, char* detail, unsigned long detail_size) {
  struct wanted wanted[WANTED_CAPACITY];
  const int count = list_wanted(lock, wanted);
  int lower = 0;
  for (int i = 0; i < count; ++i) {
    struct rlimit now;
    if (getrlimit(wanted[i].resource, &now) != 0 || now.rlim_cur > wanted[i].soft || now.rlim_max > wanted[i].hard) {
      snprintf(detail, detail_size, "getrlimit(%s) is not what was set", wanted[i].name);
      return EPERM;
    }
    if (now.rlim_cur < wanted[i].soft) ++lower;
  }
  if (lower > 0) {
    snprintf(detail, detail_size, "getrlimit: %d limits hold, %d of them tighter because the host is limited itself", count,
             lower);
  } else {
    snprintf(detail, detail_size, "getrlimit: %d limits hold", count);
  }
  return 0;
}
