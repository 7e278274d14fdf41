// conclave-ingest: reads the user's file on descriptor 6, writes the column store on descriptor 7, and reports on descriptor 3.
// See docs/guest-protocol.md.

#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include "lib/base/json.h"
#include "lib/guest/ingest/ingest.h"
#include "lib/guest/ingest/refusal.h"
#include "lib/guest/protocol/guest_protocol.h"

namespace conclave::guest {
namespace {

constexpr int kInput = kFirstDataDescriptor;
constexpr int kOutput = kFirstDataDescriptor + 1;

void Send(const Json& frame) {
  // A host that no longer listens is of no interest; it will end the run.
  WriteFrame(kFrameDescriptor, frame).IgnoreError();
}

Json Named(const std::string& name) { return Json::Object({{"frame", Json::String(name)}}); }

void SendProgress(int pass, uint64_t bytes, uint64_t rows) {
  Json frame = Named("progress");
  frame.Set("numbers", Json::Object({{"pass", Json::Integer(pass)},
                                     {"bytes", Json::Integer(static_cast<int64_t>(bytes))},
                                     {"rows", Json::Integer(static_cast<int64_t>(rows))}}));
  Send(frame);
}

Json Closing() {
  IngestOptions options;
  uint64_t reported = 0;
  options.progress = [&reported](int pass, uint64_t bytes, uint64_t rows) {
    constexpr uint64_t kStep = 64u << 20;
    if (bytes >= reported && bytes - reported < kStep) return;
    reported = bytes;
    SendProgress(pass, bytes, rows);
  };
  absl::StatusOr<Json> profile = Ingest(kInput, kOutput, options);
  if (!profile.ok()) {
    return ErrorFrame(RefusalType(profile.status()), std::string(profile.status().message()), /*repairable=*/false);
  }
  Json frame = Named("profile");
  frame.Set("profile", std::move(*profile));
  return frame;
}

int Main() {
  Send(EngineFrame(kIngestReader));
  for (const Json& canary : TryIsolation(kOutput + 1)) Send(canary);
  try {
    Send(Closing());
  } catch (const std::bad_alloc&) {
    Json frame = ErrorFrame("MemoryError", "the file needs more memory to read than the run may have", /*repairable=*/false);
    frame.Set("limit", Json::String("memory"));
    Send(frame);
  }
  return 0;
}

}  // namespace
}  // namespace conclave::guest

int main() { return conclave::guest::Main(); }
