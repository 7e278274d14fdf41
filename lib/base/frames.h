// Frames: decodes what a guest wrote to its result descriptor (docs/guest-protocol.md). The bytes come from the other side of
// the trust boundary: sizes, nesting, text and order are all checked, and what was understood before a fault is kept.
//
// Thread safety: pure function over values.
// Ownership: value types.
//
//   GuestFrames frames = ReadFrames(result.result);
//   if (frames.closed() && frames.closing == "profile") Use(frames.body.Find("profile"));
#ifndef CONCLAVE_LIB_BASE_FRAMES_H_
#define CONCLAVE_LIB_BASE_FRAMES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "conclave/v1/execution.pb.h"
#include "lib/base/json.h"

namespace conclave {

// Columns of one table that a program loaded, in the order it first asked for them.
struct LoadedTable {
  std::string table;
  std::vector<std::string> columns;
};

struct GuestFrames {
  std::string engine;   // "sqlite 3.40.1"; empty when the guest did not say
  std::string release;  // "0.1.0"; empty when the guest did not say
  // The guest's word on isolation measures. A guest may be lying, so `achieved` proves nothing, while `not achieved` counts.
  std::vector<v1::LayerState> canaries;
  std::vector<LoadedTable> loaded;

  // "answer", "error", "profile" or "recount"; empty when the guest sent no closing frame.
  std::string closing;
  Json body;  // the whole closing frame; an object when `closing` is set

  // OK, or why reading stopped before a closing frame: DataLoss when the bytes end inside a frame, ResourceExhausted when a
  // frame or their number is beyond a bound, InvalidArgument when a frame is not what the protocol says.
  absl::Status fault;

  bool closed() const { return !closing.empty(); }
};

// Bounds on what one guest may send.
struct FrameBounds {
  size_t frame_bytes = 17u << 20;  // an answer of 16 MB and its envelope
  size_t frames = 10'000;
  size_t values = 2'200'000;  // JSON values in one frame: 2,000,000 of an answer, and what holds them
  size_t canaries = 64;
  size_t columns = 10'000;  // loaded columns over all tables
};

// Never fails as a whole: see GuestFrames::fault. Frames of unknown name, and bytes after the closing frame, are ignored.
GuestFrames ReadFrames(std::string_view bytes, const FrameBounds& bounds = FrameBounds());

}  // namespace conclave

#endif  // CONCLAVE_LIB_BASE_FRAMES_H_
