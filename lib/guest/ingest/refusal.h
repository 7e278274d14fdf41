// Refusal: why a file cannot be read, as a Status that carries a stable type beside its sentence ("EmptyInput").
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_GUEST_INGEST_REFUSAL_H_
#define CONCLAVE_LIB_GUEST_INGEST_REFUSAL_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace conclave::guest {

// InvalidArgument with a type. `message` names the thing, why, and what to do.
absl::Status Refuse(std::string_view type, std::string_view message);

// The type of such a status; "IngestError" for any other error.
std::string RefusalType(const absl::Status& status);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_REFUSAL_H_
