// The JSON form of answers between host and guests (docs/guest-protocol.md, "Answers on the wire").
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_ANSWER_WIRE_H_
#define CONCLAVE_LIB_ANSWER_WIRE_H_

#include "absl/status/statusor.h"
#include "conclave/v1/answer.pb.h"
#include "lib/base/json.h"
#include "lib/base/value_json.h"

namespace conclave {

// Decodes the content of an `answer` frame, which a hostile program may have written. InvalidArgument says which member is
// wrong and why: a shape that is not the documented one, a lexeme that is none, a kind that does not fit its value. An answer
// beyond the documented bounds is a valid one of kind ERROR and type "AnswerTooLarge".
absl::StatusOr<v1::Answer> DecodeAnswer(const Json& json);

Json EncodeAnswer(const v1::Answer& answer);

// "number", "integer", ...: the name of a kind on the wire; "unspecified" for none.
std::string_view AnswerKindName(v1::AnswerKind kind);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANSWER_WIRE_H_
