// Reply: the program, the reading and the assumptions in what a language model wrote, or that it declined. Models are loose
// about form: what has one reading is taken, the rest is an error that says what was missing.
//
// Thread safety: pure function.
#ifndef CONCLAVE_LIB_PERSONA_MODEL_REPLY_H_
#define CONCLAVE_LIB_PERSONA_MODEL_REPLY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conclave/model.h"
#include "conclave/v1/execution.pb.h"

namespace conclave {

struct ReadReply {
  std::string code;
  std::string reading;
  std::vector<std::string> assumptions;
  std::string decline;  // when not empty there is no code
};

// Blocks are fenced as in CommonMark 0.30, section 4.5. Reasoning between <think> and </think> is dropped. Of several programs
// the last one counts. Aborted when there is no program in `language`, or when the reply was cut off inside it.
absl::StatusOr<ReadReply> ReadModelReplyText(const ModelReply& reply, v1::Language language);

}  // namespace conclave

#endif  // CONCLAVE_LIB_PERSONA_MODEL_REPLY_H_
