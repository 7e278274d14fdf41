// Result: what a finished job gave, with the texts that the accessors lend.
//
// Thread safety: never changes, so any number of threads may read it.
#ifndef CONCLAVE_CAPI_RESULT_H_
#define CONCLAVE_CAPI_RESULT_H_

#include <string>
#include <variant>
#include <vector>

#include "capi/conclave.h"
#include "conclave/v1/insight.pb.h"

struct conclave_result {
  struct Voice {
    std::string persona;
    std::string answer;  // or why there is none
    bool counts = false;
  };
  std::variant<conclave::v1::Insight, conclave::v1::Execution, conclave::v1::ProfileList> message;
  int32_t outcome = CONCLAVE_OUTCOME_UNSPECIFIED;
  bool delivered = false;
  std::string id;
  std::string sentence;
  std::string answer;
  std::string why;
  std::string way_out;
  std::vector<Voice> voices;
};

namespace conclave::capi {

conclave_result* NewResult(v1::Insight insight);
conclave_result* NewResult(v1::Execution execution);
conclave_result* NewResult(v1::ProfileList profiles);

}  // namespace conclave::capi

#endif  // CONCLAVE_CAPI_RESULT_H_
