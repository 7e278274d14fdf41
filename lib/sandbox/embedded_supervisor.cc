// Alone in its file: compiler caches cannot cache what .incbin reads.
#include <cstddef>

#include "lib/sandbox/supervisor_image.h"

asm(".section .rodata.conclave_supervisor, \"a\", %progbits\n"
    ".balign 16\n"
    ".globl conclave_supervisor_begin\n"
    ".hidden conclave_supervisor_begin\n"
    "conclave_supervisor_begin:\n"
    ".incbin \"" CONCLAVE_SUPERVISOR_PROGRAM
    "\"\n"
    ".globl conclave_supervisor_end\n"
    ".hidden conclave_supervisor_end\n"
    "conclave_supervisor_end:\n"
    ".previous\n");

extern "C" {
extern const char conclave_supervisor_begin[];
extern const char conclave_supervisor_end[];
}

namespace conclave {

std::string_view EmbeddedSupervisor() {
  return {conclave_supervisor_begin, static_cast<size_t>(conclave_supervisor_end - conclave_supervisor_begin)};
}

}  // namespace conclave
