// AnswerDigest: a name for an answer that does not depend on the program it came from. Stable across versions; stored in
// ledgers and used to break ties in the same way everywhere.
//
// Thread safety: pure function.
#ifndef CONCLAVE_LIB_ANSWER_DIGEST_H_
#define CONCLAVE_LIB_ANSWER_DIGEST_H_

#include <string>

#include "conclave/v1/answer.pb.h"
#include "lib/answer/canonical.h"
#include "lib/base/digest.h"

namespace conclave {

// SHA-256 of the canonical answer, lower-case hex.
inline std::string AnswerDigest(const v1::Answer& answer, const ComparisonContext& context) {
  return Digest(CanonicalAnswer(answer, context));
}

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANSWER_DIGEST_H_
