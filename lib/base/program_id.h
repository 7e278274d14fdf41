// ProgramId: what a program is known by in ballots, executions and the ledger.
//
// Thread safety: pure function.
#ifndef CONCLAVE_LIB_BASE_PROGRAM_ID_H_
#define CONCLAVE_LIB_BASE_PROGRAM_ID_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "conclave/v1/execution.pb.h"
#include "lib/base/digest.h"

namespace conclave {

// The same for programs of one language and text, whoever wrote them.
inline std::string ProgramId(const v1::Program& program) {
  return Digest(absl::StrCat(static_cast<int>(program.language()), "\n", program.code()));
}

}  // namespace conclave

#endif  // CONCLAVE_LIB_BASE_PROGRAM_ID_H_
