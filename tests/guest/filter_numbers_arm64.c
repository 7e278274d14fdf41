/* arm64 has the numbers that all newer architectures share, and these families of them. */
#define __ARCH_WANT_RENAMEAT
#define __ARCH_WANT_NEW_STAT
#define __ARCH_WANT_SET_GET_RLIMIT
#define __ARCH_WANT_TIME32_SYSCALLS
#define __ARCH_WANT_SYS_CLONE3
#define __ARCH_WANT_MEMFD_SECRET
#include <asm-generic/unistd.h>

#include "tests/guest/filter_numbers.h"

#define TEXT(words) #words
#define EXPANDED(words) TEXT(words)
#define CALL(name, x86_64, arm64, level_0, level_1) {#name, EXPANDED(__NR_##name)},
const struct filter_number kArm64Numbers[] = {
#include "lib/guest/supervisor/filter_calls.def"
    {0, 0}};
