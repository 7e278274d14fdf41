// Evidence view: what was run, how each run ended, what it used, under which limits and behind which isolation.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_TOOLS_CONCLAVE_VIEW_EVIDENCE_H_
#define CONCLAVE_TOOLS_CONCLAVE_VIEW_EVIDENCE_H_

#include <string>
#include <vector>

#include "conclave/v1/execution.pb.h"
#include "tools/conclave/surroundings.h"

namespace conclave::cli {

// One run with what is to be said about it.
struct Evidence {
  const v1::Execution* execution = nullptr;
  std::string persona;  // empty for code a person gave
  std::string remark;   // why it did not count; empty when it did
};

// "ok", "wall_limit".
std::string ShowEndReason(v1::EndReason reason);

// "0.31 s", "-" when it was not measured.
std::string ShowWall(const v1::Usage& usage);
std::string ShowMemory(const v1::Usage& usage);

// A table of the runs, what went wrong in them, isolation and limits. Empty for no runs.
std::string RenderEvidence(const std::vector<Evidence>& runs, const View& view);

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_VIEW_EVIDENCE_H_
