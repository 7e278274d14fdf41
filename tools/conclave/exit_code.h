// Exit code: what the shell learns from a command. Stable numbers.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_TOOLS_CONCLAVE_EXIT_CODE_H_
#define CONCLAVE_TOOLS_CONCLAVE_EXIT_CODE_H_

#include "absl/status/status.h"
#include "conclave/v1/execution.pb.h"
#include "conclave/v1/insight.pb.h"

namespace conclave::cli {

enum ExitCode : int {
  kAnswered = 0,
  kFailed = 1,  // a resource ran out, or something inside went wrong
  kUsage = 2,
  kNotAgreed = 3,  // disputed, one execution only, all failed; of `run`: no answer came; the deadline passed first
  kDeclined = 4,   // nobody could read the question
  kIsolationMissing = 5,
  kInput = 6,  // a file, or an id, that cannot be used
  kCancelled = 130,
  kReaderGone = 141,  // standard output was closed by its reader, as a shell reports SIGPIPE
};

// For a status that is not OK.
ExitCode ExitCodeOf(const absl::Status& status);

ExitCode ExitCodeOf(const v1::Outcome& outcome);

// Zero when the run brought an answer: also one that says "empty" or "undefined".
ExitCode ExitCodeOf(const v1::Execution& execution);

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_EXIT_CODE_H_
