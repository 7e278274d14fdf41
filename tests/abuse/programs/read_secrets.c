/* Reads what it was not given: read_secrets SECRET PID, where PID is another process. */
#include <stdlib.h>

#include "attempts.h"

int main(int count, char** arguments) {
  if (count < 3) return 100;
  char path[64];
  attempt(1, "a file of the host", can_read(arguments[1]));
  attempt(2, "/etc/passwd", can_read("/etc/passwd"));
  attempt(3, "/etc/shadow", can_read("/etc/shadow"));
  attempt(4, "/etc/hostname", can_read("/etc/hostname"));
  attempt(5, "/etc/resolv.conf", can_read("/etc/resolv.conf"));
  attempt(6, "/etc/ssl/private", can_open("/etc/ssl/private", O_RDONLY | O_DIRECTORY));
  attempt(7, "/root", can_open("/root", O_RDONLY | O_DIRECTORY));
  attempt(8, "keys of root",
          can_open("/root"
                   "/.ssh",
                   O_RDONLY | O_DIRECTORY));
  attempt(9, "/home", can_open("/home", O_RDONLY | O_DIRECTORY));
  attempt(10, "/", can_open("/", O_RDONLY | O_DIRECTORY));
  attempt(11, "/tmp", can_open("/tmp", O_RDONLY | O_DIRECTORY));
  attempt(12, "/var/log", can_open("/var/log", O_RDONLY | O_DIRECTORY));
  attempt(13, "/dev", can_open("/dev", O_RDONLY | O_DIRECTORY));
  attempt(14, "/sys/kernel", can_open("/sys/kernel", O_RDONLY | O_DIRECTORY));
  /* In a process namespace of its own that is the run's init. */
  attempt(15, "environment of process 1", can_read("/proc/1/environ"));
  snprintf(path, sizeof path, "/proc/%s/environ", arguments[2]);
  attempt(16, "environment of another process", can_read(path));
  snprintf(path, sizeof path, "/proc/%s/cmdline", arguments[2]);
  attempt(17, "arguments of another process", can_read(path));
  return first_through;
}
