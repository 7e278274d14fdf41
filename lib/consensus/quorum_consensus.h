// QuorumConsensus: the judge. Two lineages that agree, with checks passed, confirm; one lineage whose programs agree supports;
// a difference disputes; a single execution is none.
//
// Thread safety: immutable; const functions may run concurrently.
// Ownership: value type.
//
//   v1::Outcome outcome = QuorumConsensus().Judge(ballots, expectation);
#ifndef CONCLAVE_LIB_CONSENSUS_QUORUM_CONSENSUS_H_
#define CONCLAVE_LIB_CONSENSUS_QUORUM_CONSENSUS_H_

#include <vector>

#include "conclave/consensus.h"
#include "lib/answer/comparison_context.h"

namespace conclave {

enum class CheckState { kNotRun, kPassed, kFailed };

// What was established about the agreeing programs apart from their answers. No outcome is `confirmed` without it.
struct Evidence {
  CheckState checks = CheckState::kNotRun;   // invariances and twin tables
  CheckState readers = CheckState::kNotRun;  // two separate readers of the file agree
};

class QuorumConsensus : public Consensus {
 public:
  QuorumConsensus() = default;
  explicit QuorumConsensus(const Evidence& evidence) : evidence_(evidence) {}

  // Each persona has one vote, each program (by id) one vote whoever wrote it, and a program that gave two answers none.
  // Reason codes: "declined", "all_failed", "no_ballots", "one_execution"; "one_lineage", "checks_not_run"; "disputed" or
  // "majority", "fragile", "check_failed".
  v1::Outcome Judge(const std::vector<v1::Ballot>& ballots, const v1::Expectation& expectation) const override;

  // The same with all that is known about the question and its columns.
  v1::Outcome Judge(const std::vector<v1::Ballot>& ballots, const ComparisonContext& context) const;

 private:
  Evidence evidence_;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_CONSENSUS_QUORUM_CONSENSUS_H_
