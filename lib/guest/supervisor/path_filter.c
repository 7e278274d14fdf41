#include "lib/guest/supervisor/path_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/guest/supervisor/kernel.h"

/* What one looks at the machine by, whatever the program: its processors, its memory, how generous it is with it. */
static const char* const kFacts[] = {"/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/proc/stat",
                                     "/proc/sys/vm/overcommit_memory"};
static const char* const kOwnProcesses[] = {"/proc"};
static const char* const kDevices[] = {"/dev/null", "/dev/zero", "/dev/urandom"};

struct ruleset {
  int descriptor;
  uint64_t rights; /* all that are handled */
};

static uint64_t rights_of(int abi) {
  uint64_t rights = KERNEL_LANDLOCK_RIGHTS_1;
  if (abi >= 2) rights |= KERNEL_LANDLOCK_REFER;
  if (abi >= 3) rights |= KERNEL_LANDLOCK_TRUNCATE;
  if (abi >= 5) rights |= KERNEL_LANDLOCK_IOCTL_DEVICE;
  return rights;
}

/* Of an open file or folder; what has no path, as a file in memory, needs no rule. */
static int allow_open(const struct ruleset* ruleset, int place, uint64_t rights) {
  const uint64_t for_files = KERNEL_LANDLOCK_EXECUTE | KERNEL_LANDLOCK_WRITE_FILE | KERNEL_LANDLOCK_READ_FILE |
                             KERNEL_LANDLOCK_TRUNCATE | KERNEL_LANDLOCK_IOCTL_DEVICE;
  struct stat what;
  if (fstat(place, &what) != 0) return errno;
  if (!S_ISDIR(what.st_mode)) rights &= for_files;
  const struct kernel_landlock_path_rule rule = {rights & ruleset->rights, place};
  if (syscall(SYS_landlock_add_rule, ruleset->descriptor, KERNEL_LANDLOCK_PATH_BENEATH, &rule, 0) == 0) return 0;
  return errno == EBADFD ? 0 : errno;
}

/* What is missing, or out of the run's reach anyway, is passed over. */
static int allow(const struct ruleset* ruleset, const char* path, uint64_t rights) {
  const int place = open(path, O_PATH | O_CLOEXEC);
  if (place < 0) return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? errno : 0;
  const int error = allow_open(ruleset, place, rights);
  close(place);
  return error;
}

static int allow_each(struct lock* lock, const struct ruleset* ruleset, const char* const* paths, size_t count,
                      uint64_t rights) {
  for (size_t i = 0; i < count; ++i) {
    const int error = allow(ruleset, paths[i], rights);
    if (error == 0) continue;
    lock->what = paths[i];
    return error;
  }
  return 0;
}

static int add_rules(struct lock* lock, const struct ruleset* ruleset) {
  const uint64_t read = KERNEL_LANDLOCK_READ_FILE | KERNEL_LANDLOCK_READ_DIR;
  const struct policy* const policy = lock->policy;
  const uint32_t links = policy->limits.links;
  int error =
      allow_each(lock, ruleset, policy->readable + links, policy->limits.readable - links, read | KERNEL_LANDLOCK_EXECUTE);
  /* In a process namespace of its own all that /proc shows is the run's. */
  if (error == 0 && lock->level >= 2) error = allow_each(lock, ruleset, kOwnProcesses, 1, read);
  if (error == 0 && lock->level < 2) error = allow_each(lock, ruleset, kFacts, sizeof kFacts / sizeof kFacts[0], read);
  if (error == 0) {
    error = allow_each(lock, ruleset, kDevices, sizeof kDevices / sizeof kDevices[0],
                       KERNEL_LANDLOCK_READ_FILE | KERNEL_LANDLOCK_WRITE_FILE | KERNEL_LANDLOCK_IOCTL_DEVICE);
  }
  if (error == 0) {
    error = allow(
        ruleset, ".",
        ruleset->rights & ~(uint64_t)(KERNEL_LANDLOCK_MAKE_CHAR | KERNEL_LANDLOCK_MAKE_BLOCK | KERNEL_LANDLOCK_IOCTL_DEVICE));
  }
  if (error == 0 && lock->executable >= 0) {
    error = allow_open(ruleset, lock->executable, KERNEL_LANDLOCK_READ_FILE | KERNEL_LANDLOCK_EXECUTE);
  }
  /* A folder that was lent open is meant to be read. */
  for (uint32_t i = 0; i < policy->limits.grants && error == 0; ++i) {
    struct stat what;
    if (fstat(policy->grant_target[i], &what) == 0 && S_ISDIR(what.st_mode)) {
      error = allow_open(ruleset, policy->grant_target[i], read);
    }
  }
  return error;
}

static void prove_scope(struct lock* lock) {
  struct layer_proof* const proof = &lock->proofs[CONCLAVE_LAYER_SIGNAL_SCOPE];
  if (lock->landlock_abi < 6) {
    proof->error = ENOTSUP;
    snprintf(proof->detail, sizeof proof->detail,
             "Landlock of version %d has no scopes; the filter of system calls refuses signals to others", lock->landlock_abi);
    return;
  }
  /* Below level 2 the run could have the supervisor's user; from there on it cannot see it, and tries the init. */
  const pid_t other = lock->level >= 2 ? 1 : lock->supervisor;
  const int result = kill(other, 0);
  proof->error = result == 0 ? EPERM : 0;
  snprintf(proof->detail, sizeof proof->detail, "kill(%s, 0): %s", lock->level >= 2 ? "init" : "supervisor",
           result == 0 ? "succeeded" : strerror(errno));
}

int path_filter_install(struct lock* lock) {
  const long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, KERNEL_LANDLOCK_VERSION_QUERY);
  if (abi < 1) {
    lock->what = "landlock_create_ruleset";
    return abi < 0 ? errno : ENOSYS;
  }
  lock->landlock_abi = (int)abi;
  const struct kernel_landlock_ruleset attributes = {.handled_file_rights = rights_of((int)abi),
                                                     .handled_network_rights = KERNEL_LANDLOCK_TCP,
                                                     .scopes = KERNEL_LANDLOCK_SCOPES};
  const size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  struct ruleset ruleset = {.rights = attributes.handled_file_rights};
  ruleset.descriptor = (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
  if (ruleset.descriptor < 0) {
    lock->what = "landlock_create_ruleset";
    return errno;
  }
  int error = add_rules(lock, &ruleset);
  if (error == 0 && syscall(SYS_landlock_restrict_self, ruleset.descriptor, 0) != 0) {
    lock->what = "landlock_restrict_self";
    error = errno;
  }
  close(ruleset.descriptor);
  if (error == 0) prove_scope(lock);
  return error;
}
