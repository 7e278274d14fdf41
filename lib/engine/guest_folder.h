// GuestFolder: finding the folder that holds the guest programs, and the supervisor.
//
// Thread safety: may be called from any thread at any time.
#ifndef CONCLAVE_LIB_ENGINE_GUEST_FOLDER_H_
#define CONCLAVE_LIB_ENGINE_GUEST_FOLDER_H_

#include <string>

#include "absl/status/statusor.h"

namespace conclave {

struct GuestFolder {
  std::string path;    // absolute, so that a host that changes its working folder keeps its guests
  std::string origin;  // "the option guest_folder", "CONCLAVE_LIBEXEC", "near the library FILE"
};

// `given` when it is not empty; else the environment's CONCLAVE_LIBEXEC (not when set-id); else `libexec/conclave` beside the
// folder of the file this code was loaded from, at most two folders up. FailedPrecondition naming what named the folder, or
// listing the places looked at.
absl::StatusOr<GuestFolder> FindGuestFolder(const std::string& given);

// The absolute path of the program or library this code is in. ResourceExhausted when it cannot be told.
absl::StatusOr<std::string> LoadedFrom();

// The supervisor's file in the folder of the guest programs, where a security module can name it and memory need not be
// executable; empty when there is none, and the library uses the one it holds.
std::string FindSupervisor(const std::string& guest_folder);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ENGINE_GUEST_FOLDER_H_
