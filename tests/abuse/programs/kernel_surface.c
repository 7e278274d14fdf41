/* Calls parts of the kernel that no analysis needs. Arguments are such that a success changes nothing beyond this process. */
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>

#include "attempts.h"

static long perf(void) {
  struct perf_event_attr wanted;
  memset(&wanted, 0, sizeof wanted);
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.size = sizeof wanted;
  wanted.exclude_kernel = 1;
  return syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0);
}

static long handle_of_root(void) {
  struct {
    unsigned bytes;
    int type;
    unsigned char handle[128];
  } handle = {.bytes = 128};
  int mount;
  const long named = syscall(SYS_name_to_handle_at, AT_FDCWD, ".", &handle, &mount, 0);
  return named < 0 ? -1 : syscall(SYS_open_by_handle_at, AT_FDCWD, &handle, O_RDONLY);
}

int main(void) {
  attempt(1, "personality", personality(ADDR_NO_RANDOMIZE));
  attempt(2, "userfaultfd", syscall(SYS_userfaultfd, 1 /* user mode only */));
  attempt(3, "userfaultfd by its device", can_open("/dev/userfaultfd", O_RDWR));
  const unsigned map[18] = {2 /* BPF_MAP_TYPE_ARRAY */, 4, 4, 1};
  attempt(4, "bpf", syscall(SYS_bpf, 0, map, sizeof map));
  attempt(5, "perf_event_open", perf());
  attempt(6, "kexec_load", syscall(SYS_kexec_load, 0ul, 0ul, NULL, 0ul));
#if defined(SYS_kexec_file_load)
  attempt(7, "kexec_file_load", syscall(SYS_kexec_file_load, -1, -1, 0ul, NULL, 0ul));
#endif
  attempt(8, "init_module", syscall(SYS_init_module, "", 0ul, ""));
  attempt(9, "finit_module", syscall(SYS_finit_module, -1, "", 0));
  attempt(10, "delete_module", syscall(SYS_delete_module, "conclave_none", O_NONBLOCK));
  attempt(11, "swapon", syscall(SYS_swapon, "/dev/null", 0));
  attempt(12, "reboot", syscall(SYS_reboot, 0, 0, 0, NULL)); /* not the magic numbers: refused anyway */
  attempt(13, "acct", syscall(SYS_acct, NULL));
  attempt(14, "syslog", syscall(SYS_syslog, 10 /* size of the buffer */, NULL, 0));
  attempt(15, "sethostname", syscall(SYS_sethostname, "", 0));
  struct timex nothing;
  memset(&nothing, 0, sizeof nothing);
  nothing.modes = ADJ_STATUS;
  attempt(16, "adjtimex", syscall(SYS_adjtimex, &nothing));
  attempt(17, "settimeofday", syscall(SYS_settimeofday, NULL, &(struct timezone){0, 0}));
  attempt(19, "a device", mknod("device", S_IFBLK | 0600, makedev(254, 0)));
  attempt(20, "open_by_handle_at", handle_of_root());
  attempt(21, "add_key", syscall(SYS_add_key, "user", "abuse", "x", 1ul, -1 /* of the thread */));
  attempt(22, "keyctl", syscall(SYS_keyctl, 0, -1, 1));
  attempt(23, "io_setup", syscall(SYS_io_setup, 1, &(unsigned long){0}));
  attempt(24, "landlock ruleset", syscall(444, (const long[]){1}, 8ul, 0));
  attempt(25, "memfd_secret", syscall(447, 0));
  attempt(26, "vhangup", syscall(SYS_vhangup));
  attempt(27, "/dev/mem", can_open("/dev/mem", O_RDONLY));
  attempt(28, "/dev/kmsg", can_open("/dev/kmsg", O_RDONLY));
  attempt(29, "/dev/fuse", can_open("/dev/fuse", O_RDWR));
  attempt(30, "/dev/kvm", can_open("/dev/kvm", O_RDWR));
#if defined(__x86_64__)
  attempt(40, "iopl", syscall(SYS_iopl, 3));
  attempt(41, "ioperm", syscall(SYS_ioperm, 0x80ul, 1ul, 1));
  const unsigned entry[4] = {0, 0, 0, 0x28 /* an empty one */};
  attempt(42, "modify_ldt", syscall(SYS_modify_ldt, 0x11, entry, sizeof entry));
  attempt(43, "uselib", syscall(SYS_uselib, "/none"));
#endif
  return first_through;
}
