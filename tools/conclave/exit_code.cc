#include "tools/conclave/exit_code.h"

#include <algorithm>

namespace conclave::cli {

ExitCode ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kInvalidArgument: return kInput;
    case absl::StatusCode::kFailedPrecondition: return kIsolationMissing;
    case absl::StatusCode::kCancelled: return kCancelled;
    case absl::StatusCode::kAborted: return kReaderGone;
    case absl::StatusCode::kDeadlineExceeded: return kNotAgreed;
    default: return kFailed;
  }
}

ExitCode ExitCodeOf(const v1::Outcome& outcome) {
  if (outcome.kind() == v1::CONFIRMED || outcome.kind() == v1::SUPPORTED) return kAnswered;
  const bool declined = outcome.kind() == v1::NONE &&
                        std::find(outcome.reasons().begin(), outcome.reasons().end(), "declined") != outcome.reasons().end();
  return declined ? kDeclined : kNotAgreed;
}

ExitCode ExitCodeOf(const v1::Execution& execution) {
  switch (execution.answer().kind()) {
    case v1::ANSWER_KIND_UNSPECIFIED:
    case v1::DECLINED:
    case v1::ERROR: return kNotAgreed;
    default: return execution.end_reason() == v1::OK ? kAnswered : kNotAgreed;
  }
}

}  // namespace conclave::cli
