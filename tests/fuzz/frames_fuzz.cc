// What a guest wrote to its result descriptor, from any bytes: read as frames, and as the record of a run.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "lib/base/frames.h"
#include "lib/runtime/guest_run.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const conclave::GuestFrames frames = conclave::ReadFrames(bytes);
  if (frames.closed() && !frames.fault.ok()) std::abort();
  if (frames.closed() && !frames.body.is_object()) std::abort();

  conclave::SandboxResult result;
  result.end_reason = conclave::v1::OK;
  result.result = bytes;
  const conclave::v1::Execution execution =
      conclave::ToExecution(conclave::v1::Program(), conclave::RunOptions(), result, frames);
  // Nothing a guest says may raise its isolation, or pass for an answer without being one.
  if (execution.isolation_level() != -1) std::abort();
  for (const conclave::v1::LayerState& layer : execution.layers()) {
    if (layer.achieved()) std::abort();
  }
  if (execution.end_reason() == conclave::v1::OK && execution.answer().kind() == conclave::v1::ANSWER_KIND_UNSPECIFIED) {
    std::abort();
  }
  return 0;
}
