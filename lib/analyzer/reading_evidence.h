// Reading evidence: what the second reading of the files says about an outcome.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_ANALYZER_READING_EVIDENCE_H_
#define CONCLAVE_LIB_ANALYZER_READING_EVIDENCE_H_

#include <string>
#include <vector>

#include "conclave/v1/execution.pb.h"
#include "conclave/v1/insight.pb.h"
#include "conclave/v1/profile.pb.h"

namespace conclave {

using Executions = google::protobuf::RepeatedPtrField<v1::Execution>;

// An answer stands on what was read from the files. Where a second reader disagrees about the rows of a file, or about a column
// that a program loaded, an outcome that would be delivered becomes DISPUTED with reason "readers_differ". A second reading
// that could not be done adds the reason "read_once" and changes nothing else.
void WeighReadings(const std::vector<v1::Profile>& profiles, const Executions& executions, v1::Outcome* outcome);

// What reading the files lost or left uncertain, one sentence each, where an answer stands on it: of the file as a whole, and
// of the columns that a program loaded. At most a handful; the last one says how many more there are.
std::vector<std::string> ReadingNotes(const std::vector<v1::Profile>& profiles, const Executions& executions);

// Groups of a table whose labels are the same but for case and blanks, one sentence for each of the first few; without columns
// whose spellings the program `told` tells of itself, which it knows also where the answer does not show them all.
std::vector<std::string> SpellingNotes(const v1::Answer& answer, const v1::Program& told = v1::Program());

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANALYZER_READING_EVIDENCE_H_
