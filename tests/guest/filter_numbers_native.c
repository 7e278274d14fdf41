#include <sys/syscall.h>

#include "tests/guest/filter_numbers.h"

#define TEXT(words) #words
#define EXPANDED(words) TEXT(words)
#define CALL(name, x86_64, arm64, level_0, level_1) {#name, EXPANDED(__NR_##name)},
const struct filter_number kNativeNumbers[] = {
#include "lib/guest/supervisor/filter_calls.def"
    {0, 0}};
