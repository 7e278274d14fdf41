// Execution view: one run of a person's own program, for people.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_TOOLS_CONCLAVE_VIEW_EXECUTION_H_
#define CONCLAVE_TOOLS_CONCLAVE_VIEW_EXECUTION_H_

#include <string>

#include "conclave/v1/execution.pb.h"
#include "tools/conclave/surroundings.h"

namespace conclave::cli {

// The answer or what went wrong, what the program printed, and `with_evidence` how it ended and what it used. Ends with a
// newline.
std::string RenderExecution(const v1::Execution& execution, const View& view, bool with_evidence);

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_VIEW_EXECUTION_H_
