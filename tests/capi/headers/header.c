/* Included twice, with every warning on, and with its sizes fixed: those of a 64-bit host. */
/* clang-format off: it would take one of them for a mistake */
#include "conclave.h"
/* clang-format on */

#define SIZE_IS(type, size) typedef char size_of_##type[sizeof(type) == (size) ? 1 : -1]

SIZE_IS(conclave_engine_options, 72);
SIZE_IS(conclave_code, 4);

extern uint32_t (*conclave_header_use(void))(void);
extern size_t conclave_header_sizes(void);

/* Uses what a warning would otherwise call unused. */
uint32_t (*conclave_header_use(void))(void) { return conclave_version_number; }
size_t conclave_header_sizes(void) {
  return sizeof(size_of_conclave_engine_options) + sizeof(size_of_conclave_code) + CONCLAVE_VERSION_NUMBER +
         CONCLAVE_ABI_VERSION;
}
