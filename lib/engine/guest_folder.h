// GuestFolder: finding the folder that holds the guest programs.
//
// Thread safety: may be called from any thread at any time.
#ifndef CONCLAVE_LIB_ENGINE_GUEST_FOLDER_H_
#define CONCLAVE_LIB_ENGINE_GUEST_FOLDER_H_

#include <string>

#include "absl/status/statusor.h"

namespace conclave {

// `given` when it is not empty; else the environment's CONCLAVE_LIBEXEC (not when set-id); else `libexec/conclave` beside the
// folder of the file this code was loaded from, at most two folders up. FailedPrecondition listing the places looked at.
absl::StatusOr<std::string> FindGuestFolder(const std::string& given);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ENGINE_GUEST_FOLDER_H_
