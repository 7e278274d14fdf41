/* under_filter LEVEL PROCESSES PROGRAM [ARGUMENT]...: puts the filter on itself, with its parent for a supervisor, and becomes
 * the program. PROCESSES is 1, or anything else for several. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lib/guest/supervisor/filter_install.h"

int main(int count, char** arguments) {
  if (count < 4) return 120;
  const struct filter_options options = {
      .level = atoi(arguments[1]), .one_process = strcmp(arguments[2], "1") == 0, .self = getpid(), .supervisor = getppid()};
  setpgid(0, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 121;
  const int error = filter_install(&options);
  if (error != 0) {
    fprintf(stderr, "filter_install: %s\n", strerror(error));
    return 122;
  }
  execv(arguments[3], arguments + 3);
  return 123;
}
