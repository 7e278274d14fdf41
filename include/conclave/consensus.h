// Consensus: judges ballots. Pure: no clock, no I/O, no threads, and the order of the ballots never matters.
//
// Thread safety: const functions may run concurrently.
// Ownership: borrows its arguments for the length of the call.
#ifndef CONCLAVE_CONSENSUS_H_
#define CONCLAVE_CONSENSUS_H_

#include <vector>

#include "conclave/v1/insight.pb.h"

namespace conclave {

class Consensus {
 public:
  virtual ~Consensus() = default;

  // `ballots` holds one per persona that was asked, abstentions included.
  virtual v1::Outcome Judge(const std::vector<v1::Ballot>& ballots, const v1::Expectation& expectation) const = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_CONSENSUS_H_
