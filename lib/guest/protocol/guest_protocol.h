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

// One `canary` frame for each layer of isolation that a program can try for itself, whether or not the host claims it: becoming
// root, new privileges, capabilities, descriptors it was not given (any from `first_free` on), variables of the host's
// environment, sockets; and what the request's member `canaries` (null: absent) names: folders, namespaces, the host itself.
std::vector<Json> TryIsolation(int first_free, const Json* granted = nullptr);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_PROTOCOL_GUEST_PROTOCOL_H_
