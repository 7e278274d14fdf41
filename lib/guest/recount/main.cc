// conclave-recount: see recount.h. Descriptors: 3 frames, 4 request, 6 the user's file, 7 its column store.

#include "lib/guest/protocol/guest_protocol.h"
#include "lib/guest/recount/recount.h"

int main() {
  namespace guest = conclave::guest;
  if (!guest::WriteFrame(guest::kFrameDescriptor, guest::EngineFrame("conclave-recount")).ok()) return 1;
  absl::StatusOr<conclave::Json> request = guest::ReadRequest(guest::kRequestDescriptor);
  if (!request.ok()) return 2;
  for (const conclave::Json& canary : guest::TryIsolation(guest::kFirstDataDescriptor + 2)) {
    if (!guest::WriteFrame(guest::kFrameDescriptor, canary).ok()) return 1;
  }
  return guest::Recount(*request, guest::kFirstDataDescriptor, guest::kFirstDataDescriptor + 1, guest::kFrameDescriptor);
}
