// GuestCall: how every guest program of Conclave is called (docs/guest-protocol.md). It finds what is asked of it, one JSON
// document, in a sealed file at descriptor 4, what it works on from descriptor 6 on, and answers through a pipe at 3.
//
// Thread safety: functions may run concurrently.
// Ownership: descriptors are borrowed for the length of the call.
//
//   GuestCall call;
//   call.arguments = {"conclave-ingest"};
//   call.executable = guest.get();
//   call.request = Json::Object({{"file", Json::String("sales.csv")}});
//   call.data = {file.get(), column_store};
//   absl::StatusOr<SandboxResult> result = CallGuest(sandbox, call, Cancellation());
#ifndef CONCLAVE_LIB_SANDBOX_GUEST_CALL_H_
#define CONCLAVE_LIB_SANDBOX_GUEST_CALL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conclave/cancellation.h"
#include "conclave/sandbox.h"
#include "lib/base/descriptor.h"
#include "lib/base/frames.h"
#include "lib/base/json.h"

namespace conclave {

inline constexpr int kResultDescriptor = 3;
inline constexpr int kRequestDescriptor = 4;
inline constexpr int kFirstDataDescriptor = 6;

struct GuestCall {
  std::vector<std::string> arguments;  // as in SandboxRequest
  int executable = -1;
  std::vector<std::string> environment = {"LANG=C.UTF-8", "TZ=UTC"};
  Json request = Json::Object();
  std::vector<int> data;                     // appear from kFirstDataDescriptor on, in this order
  std::vector<DescriptorGrant> descriptors;  // any others
  std::vector<std::string> readable;         // as in SandboxRequest
  int64_t result_bytes = 0;
  Limits limits;
  absl::Time deadline = absl::InfiniteFuture();
};

// The program `name` of the folder, open. FailedPrecondition saying what is missing where, and the way out;
// ResourceExhausted where descriptors or memory are short.
absl::StatusOr<Descriptor> OpenGuest(const std::string& guest_folder, const std::string& name);

// Runs the guest. A Status is that of the sandbox, or says that the request could not be written: no run took place.
absl::StatusOr<SandboxResult> CallGuest(const Sandbox& sandbox, const GuestCall& call, const Cancellation& cancellation);

// FailedPrecondition when the guest at `path` is of another release than this library, which then has not to use what it sent.
// A guest that was ended before it could say anything passes.
absl::Status CheckRelease(const GuestFrames& frames, const std::string& path);

// What `name` of the folder calls its engine, once it was started without data and found to be of this library's release.
absl::StatusOr<std::string> ProbeGuest(const Sandbox& sandbox, const std::string& guest_folder, const std::string& name);

}  // namespace conclave

#endif  // CONCLAVE_LIB_SANDBOX_GUEST_CALL_H_
