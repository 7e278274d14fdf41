// conclave-ingest: reads the user's file on descriptor 6, writes the column store on descriptor 7, and reports on descriptor 3.
// See docs/guest-protocol.md.

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/descriptor.h"
#include "lib/base/json.h"
#include "lib/guest/ingest/ingest.h"
#include "lib/guest/ingest/refusal.h"

namespace conclave::guest {
namespace {

constexpr int kFrames = 3;
constexpr int kInput = 6;
constexpr int kOutput = 7;

bool SendFrame(const Json& frame) {
  const std::string text = frame.Text();
  const uint32_t size = static_cast<uint32_t>(text.size());
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(size >> shift & 0xff));
  bytes += text;
  return WriteAll(kFrames, bytes).ok();
}

Json Frame(std::string_view name) {
  Json frame = Json::Object();
  frame.Set("frame", Json::String(std::string(name)));
  return frame;
}

void SendProgress(int pass, uint64_t bytes, uint64_t rows) {
  Json numbers = Json::Object();
  numbers.Set("pass", Json::Integer(pass));
  numbers.Set("bytes", Json::Integer(static_cast<int64_t>(bytes)));
  numbers.Set("rows", Json::Integer(static_cast<int64_t>(rows)));
  Json frame = Frame("progress");
  frame.Set("numbers", std::move(numbers));
  SendFrame(frame);
}

int Main() {
  Json engine = Frame("engine");
  engine.Set("name", Json::String(kIngestReader));
  SendFrame(engine);

  IngestOptions options;
  uint64_t reported = 0;
  options.progress = [&reported](int pass, uint64_t bytes, uint64_t rows) {
    constexpr uint64_t kStep = 64u << 20;
    if (bytes >= reported && bytes - reported < kStep) return;
    reported = bytes;
    SendProgress(pass, bytes, rows);
  };
  absl::StatusOr<Json> profile = Ingest(kInput, kOutput, options);
  Json frame;
  if (profile.ok()) {
    frame = Frame("profile");
    frame.Set("profile", std::move(*profile));
  } else {
    frame = Frame("error");
    frame.Set("type", Json::String(RefusalType(profile.status())));
    frame.Set("message", Json::String(std::string(profile.status().message())));
    frame.Set("repairable", Json::Boolean(false));
  }
  return SendFrame(frame) ? 0 : 1;
}

}  // namespace
}  // namespace conclave::guest

int main() { return conclave::guest::Main(); }
