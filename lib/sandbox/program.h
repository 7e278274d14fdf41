// Looks at a program before it is started, so that a missing, foreign or broken one is named as such and not mistaken for a
// program that ended badly.
//
// Thread safety: pure functions over the file system.
#ifndef CONCLAVE_LIB_SANDBOX_PROGRAM_H_
#define CONCLAVE_LIB_SANDBOX_PROGRAM_H_

#include <optional>
#include <string>

#include "conclave/sandbox.h"

namespace conclave {

// Why the program of a checked request cannot be started, in one sentence; nothing when it looks startable. The kernel has
// the last word: it may still refuse, for the unprivileged uid for example.
std::optional<std::string> ProgramProblem(const SandboxRequest& request);

}  // namespace conclave

#endif  // CONCLAVE_LIB_SANDBOX_PROGRAM_H_
