// The plain JSON form of the job descriptors in include/conclave/v1, for people, ledgers and guests.
//
// Members have the names of the fields (snake_case); 64-bit integers are numbers; an enum value is its name in lower case
// without the prefix its siblings share ("wall_limit", "integer", "supported"); bytes are text when they are valid UTF-8, else
// {"$base64": "..."}; a v1.Value has the form of docs/guest-protocol.md. Unset fields are omitted, and null means unset.
//
// Thread safety: every function may be called from any thread at any time, and in a child of fork().
//
//   v1::AnalysisJob job;
//   absl::Status read = JsonToMessage(R"({"question": "How many rows are there?"})", &job);
#ifndef CONCLAVE_LIB_BASE_PROTO_JSON_H_
#define CONCLAVE_LIB_BASE_PROTO_JSON_H_

#include <google/protobuf/message_lite.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/json.h"

namespace conclave {

// The payload of an absl::Status that names the member it is about: "datasets[1].path".
inline constexpr char kMemberPayload[] = "conclave/member";

// `message` must be a message of conclave.v1. InvalidArgument when it holds text that is not valid UTF-8.
absl::StatusOr<Json> MessageToJsonValue(const google::protobuf::MessageLite& message);

// As text: compact, or with `indent` > 0 one member a line.
absl::StatusOr<std::string> MessageToJson(const google::protobuf::MessageLite& message, int indent = 0);

// Reads `json` into `message`, replacing what was there. InvalidArgument names the member ("datasets[1].path"), in its message
// and as kMemberPayload, what is wrong, and for an unknown member the closest known one. ResourceExhausted for values beyond
// the bounds of the wire. On error `message` is unchanged.
absl::Status JsonToMessage(const Json& json, google::protobuf::MessageLite* message);
absl::Status JsonToMessage(std::string_view text, google::protobuf::MessageLite* message,
                           const JsonBounds& bounds = JsonBounds());

}  // namespace conclave

#endif  // CONCLAVE_LIB_BASE_PROTO_JSON_H_
