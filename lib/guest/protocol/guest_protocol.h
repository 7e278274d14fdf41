// The guests' end of docs/guest-protocol.md: where the descriptors are, how frames are written, and what a guest tries in order
// to see whether its isolation holds.
//
// Thread safety: pure functions over descriptors.
// Ownership: descriptors are borrowed.
#ifndef CONCLAVE_LIB_GUEST_PROTOCOL_GUEST_PROTOCOL_H_
#define CONCLAVE_LIB_GUEST_PROTOCOL_GUEST_PROTOCOL_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/json.h"

namespace conclave::guest {

inline constexpr int kFrameDescriptor = 3;
inline constexpr int kRequestDescriptor = 4;
inline constexpr int kFirstDataDescriptor = 6;

// Writes one frame: its length as 32 bits, little-endian, then the text.
absl::Status WriteFrame(int fd, const Json& frame);

// {"frame": "engine", ...}: the first frame of every guest, with what reads or computes and the release the guest is of.
Json EngineFrame(const std::string& name);

// {"frame": "error", ...}. `message` is repaired to valid UTF-8 and cut to 4 kB.
Json ErrorFrame(const std::string& type, const std::string& message, bool repairable);

// Reads the request document, at most 64 MB.
absl::StatusOr<Json> ReadRequest(int fd);

// One `canary` frame for each measure of level L0 that a program can try for itself: becoming root, new privileges,
// capabilities, descriptors it was not given (any beyond `first_free`), variables of the host's environment.
std::vector<Json> TryIsolation(int first_free);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_PROTOCOL_GUEST_PROTOCOL_H_
