#include "capi/result.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "capi/boundary.h"
#include "lib/answer/display.h"
#include "lib/base/proto_json.h"
#include "lib/base/text.h"

namespace conclave::capi {

namespace {

// How a program that gave no answer failed; "" of one that did.
std::string FailureOf(const v1::Execution& execution) {
  const v1::Answer& answer = execution.answer();
  if (answer.kind() == v1::ERROR) {
    const v1::ProgramError& error = answer.error();
    return absl::StrCat(error.type(), ": ", error.message(),
                        error.line() > 0 ? absl::StrCat(" (line ", error.line(), ")") : "");
  }
  if (execution.end_reason() != v1::OK || answer.kind() == v1::ANSWER_KIND_UNSPECIFIED) {
    return execution.detail().empty() ? "the program gave no answer" : execution.detail();
  }
  return "";
}

}  // namespace

conclave_result* NewResult(v1::Insight insight) {
  auto result = std::make_unique<conclave_result>();
  result->outcome = static_cast<int32_t>(insight.outcome().kind());
  result->delivered = insight.outcome().kind() == v1::CONFIRMED || insight.outcome().kind() == v1::SUPPORTED;
  result->id = insight.id();
  // What did not stand up to the others is in the encoded result, and nowhere that it could be taken for an answer.
  if (result->delivered) {
    result->sentence = insight.sentence();
    result->answer = DisplayAnswer(insight.answer());
  }
  result->why = insight.outcome().explanation();
  result->way_out = insight.outcome().way_out();
  for (const v1::Ballot& ballot : insight.ballots()) {
    result->voices.push_back({ballot.persona(),
                              ballot.counts() ? DisplayAnswer(ballot.answer()) : Excerpt(ballot.why_not(), 4000),
                              ballot.counts()});
  }
  result->message = std::move(insight);
  return result.release();
}

conclave_result* NewResult(v1::Execution execution) {
  auto result = std::make_unique<conclave_result>();
  result->why = FailureOf(execution);
  result->delivered = result->why.empty();
  if (result->delivered) result->answer = DisplayAnswer(execution.answer());
  result->message = std::move(execution);
  return result.release();
}

conclave_result* NewResult(v1::ProfileList profiles) {
  auto result = std::make_unique<conclave_result>();
  result->delivered = true;
  result->message = std::move(profiles);
  return result.release();
}

namespace {

absl::StatusOr<std::string> Encode(const conclave_result& result, int32_t format) {
  const google::protobuf::MessageLite& message =
      *std::visit([](const auto& held) -> const google::protobuf::MessageLite* { return &held; }, result.message);
  if (format == CONCLAVE_JSON) return MessageToJson(message);
  if (format != CONCLAVE_PROTO) {
    return absl::InvalidArgumentError(absl::StrCat("format: ", format, " is neither CONCLAVE_PROTO nor CONCLAVE_JSON"));
  }
  std::string bytes;
  if (!message.SerializeToString(&bytes)) return absl::ResourceExhaustedError("the result is larger than 2 GiB");
  return bytes;
}

}  // namespace
}  // namespace conclave::capi

int32_t conclave_result_delivered(const conclave_result* result) { return result != nullptr && result->delivered ? 1 : 0; }
int32_t conclave_result_outcome(const conclave_result* result) {
  return result == nullptr ? CONCLAVE_OUTCOME_UNSPECIFIED : result->outcome;
}
const char* conclave_result_sentence(const conclave_result* result) {
  return result == nullptr ? "" : result->sentence.c_str();
}
const char* conclave_result_answer(const conclave_result* result) { return result == nullptr ? "" : result->answer.c_str(); }
const char* conclave_result_why(const conclave_result* result) { return result == nullptr ? "" : result->why.c_str(); }
const char* conclave_result_way_out(const conclave_result* result) { return result == nullptr ? "" : result->way_out.c_str(); }
const char* conclave_result_id(const conclave_result* result) { return result == nullptr ? "" : result->id.c_str(); }

size_t conclave_result_persona_count(const conclave_result* result) { return result == nullptr ? 0 : result->voices.size(); }
const char* conclave_result_persona_name(const conclave_result* result, size_t index) {
  return index < conclave_result_persona_count(result) ? result->voices[index].persona.c_str() : nullptr;
}
int32_t conclave_result_persona_counts(const conclave_result* result, size_t index) {
  return index < conclave_result_persona_count(result) && result->voices[index].counts ? 1 : 0;
}
const char* conclave_result_persona_answer(const conclave_result* result, size_t index) {
  return index < conclave_result_persona_count(result) ? result->voices[index].answer.c_str() : nullptr;
}

conclave_code conclave_result_encode(const conclave_result* result, int32_t format, conclave_buffer** out,
                                     conclave_error** error) {
  return conclave::capi::GuardNew(out, error, [&]() -> absl::StatusOr<conclave_buffer*> {
    if (absl::Status status = conclave::capi::Require(result, "result"); !status.ok()) return status;
    absl::StatusOr<std::string> bytes = conclave::capi::Encode(*result, format);
    if (!bytes.ok()) return bytes.status();
    return conclave::capi::NewBuffer(*std::move(bytes));
  });
}

void conclave_result_destroy(conclave_result* result) { delete result; }
