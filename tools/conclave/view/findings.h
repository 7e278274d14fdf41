// Findings view: what `conclave doctor` found, for people.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_TOOLS_CONCLAVE_VIEW_FINDINGS_H_
#define CONCLAVE_TOOLS_CONCLAVE_VIEW_FINDINGS_H_

#include <string>
#include <vector>

#include "conclave/engine.h"
#include "tools/conclave/surroundings.h"

namespace conclave::cli {

// One line a finding, with a tick or a cross.
std::string RenderFindings(const std::vector<Finding>& findings, const View& view);

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_VIEW_FINDINGS_H_
