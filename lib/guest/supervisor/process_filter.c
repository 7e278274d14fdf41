#include "lib/guest/supervisor/process_filter.h"

#include "lib/guest/supervisor/filter_install.h"

int process_filter_install(int one_process, pid_t supervisor) {
  const struct filter_options options = {.level = 0, .one_process = one_process, .supervisor = supervisor};
  return filter_install(&options);
}
