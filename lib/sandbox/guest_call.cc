#include "lib/sandbox/guest_call.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/base/release.h"

namespace conclave {

absl::StatusOr<Descriptor> OpenGuest(const std::string& guest_folder, const std::string& name) {
  const std::string path = absl::StrCat(guest_folder, "/", name);
  Descriptor guest(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (guest.valid()) return guest;
  // Want of descriptors or memory is no fault of the installation.
  if (absl::Status status = ErrnoStatus(errno, path); absl::IsResourceExhausted(status)) return status;
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": ", std::strerror(errno),
                   ". It is installed with Conclave; set CONCLAVE_LIBEXEC to the folder that holds ", name));
}

absl::StatusOr<SandboxResult> CallGuest(const Sandbox& sandbox, const GuestCall& call, const Cancellation& cancellation) {
  absl::StatusOr<Descriptor> request = SealedMemory("conclave-request", call.request.Text());
  if (!request.ok()) return request.status();
  SandboxRequest run;
  run.arguments = call.arguments;
  run.executable = call.executable;
  run.environment = call.environment;
  run.descriptors = call.descriptors;
  run.descriptors.push_back({request->get(), kRequestDescriptor});
  int guest = kFirstDataDescriptor;
  for (const int data : call.data) run.descriptors.push_back({data, guest++});
  run.readable = call.readable;
  run.result_bytes = call.result_bytes;
  run.result_descriptor = kResultDescriptor;
  run.limits = call.limits;
  run.deadline = call.deadline;
  return sandbox.Run(run, cancellation);
}

absl::Status CheckRelease(const GuestFrames& frames, const std::string& path) {
  const bool spoke = !frames.engine.empty() || frames.closed();
  if (!spoke || frames.release == kRelease) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(path, " is of ", frames.release.empty() ? "an older release" : absl::StrCat("release ", frames.release),
                   " and the library of ", kRelease,
                   ": install both from one release, or name the folder of the right guest programs with guest_folder or "
                   "CONCLAVE_LIBEXEC"));
}

absl::StatusOr<std::string> ProbeGuest(const Sandbox& sandbox, const std::string& guest_folder, const std::string& name) {
  absl::StatusOr<Descriptor> guest = OpenGuest(guest_folder, name);
  if (!guest.ok()) return guest.status();
  GuestCall call;
  call.arguments = {name};
  call.executable = guest->get();
  call.result_bytes = 1 << 16;
  absl::StatusOr<SandboxResult> result = CallGuest(sandbox, call, Cancellation());
  if (!result.ok()) return result.status();
  const GuestFrames frames = ReadFrames(result->result);
  const std::string path = absl::StrCat(guest_folder, "/", name);
  if (absl::Status checked = CheckRelease(frames, path); !checked.ok()) return checked;
  if (frames.engine.empty()) return absl::UnavailableError(absl::StrCat(path, " did not start: ", result->detail));
  return frames.engine;
}

}  // namespace conclave
