#include "lib/base/frames.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/text.h"

namespace conclave {
namespace {

constexpr size_t kLengthBytes = 4;
constexpr int kFrameDepth = 64;
constexpr size_t kNameBytes = 256;
constexpr size_t kDetailBytes = 1024;

uint32_t LittleEndian32(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = kLengthBytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// One pass over the bytes of one run.
class FrameWalk {
 public:
  FrameWalk(std::string_view bytes, const FrameBounds& bounds, GuestFrames* frames)
      : bytes_(bytes), bounds_(bounds), frames_(frames) {}

  absl::Status Walk() {
    while (position_ < bytes_.size()) {
      if (++number_ > bounds_.frames) {
        return absl::ResourceExhaustedError(absl::StrCat("more than ", bounds_.frames, " frames without an answer"));
      }
      std::string_view text;
      if (absl::Status status = Next(&text); !status.ok()) return status;
      if (absl::Status status = Take(text); !status.ok()) return status;
      if (frames_->closed()) return absl::OkStatus();
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Next(std::string_view* text) {
    const size_t left = bytes_.size() - position_;
    if (left < kLengthBytes) {
      return absl::DataLossError(absl::StrCat("the output ends inside the length of frame ", number_));
    }
    const size_t size = LittleEndian32(bytes_.substr(position_, kLengthBytes));
    if (size > left - kLengthBytes) {
      return absl::DataLossError(absl::StrCat("frame ", number_, " ends after ", left - kLengthBytes, " of ", size, " bytes"));
    }
    if (size > bounds_.frame_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("frame ", number_, " has ", size, " bytes; at most ", bounds_.frame_bytes, " are read"));
    }
    *text = bytes_.substr(position_ + kLengthBytes, size);
    position_ += kLengthBytes + size;
    return absl::OkStatus();
  }

  absl::Status Take(std::string_view text) {
    JsonBounds json_bounds;
    json_bounds.bytes = bounds_.frame_bytes;
    json_bounds.depth = kFrameDepth;
    json_bounds.values = bounds_.values;
    absl::StatusOr<Json> json = ParseJson(text, json_bounds);
    if (!json.ok()) return Malformed(std::string(json.status().message()));
    const Json* name = json->Find("frame");
    if (name == nullptr || !name->is_string()) return Malformed("no member \"frame\"");

    if (name->string() == "engine") return TakeEngine(*json);
    if (name->string() == "canary") return TakeCanary(*json);
    if (name->string() == "loaded") return TakeLoaded(*json);
    if (name->string() == "answer" || name->string() == "error" || name->string() == "profile" || name->string() == "recount") {
      frames_->closing = name->string();
      frames_->body = *std::move(json);
    }
    return absl::OkStatus();
  }

  absl::Status TakeEngine(const Json& frame) {
    const Json* name = frame.Find("name");
    if (name == nullptr || !name->is_string()) return Malformed("engine without a name");
    if (!frames_->engine.empty()) return absl::OkStatus();
    frames_->engine = Excerpt(name->string(), kNameBytes);
    if (const Json* release = frame.Find("release")) frames_->release = Excerpt(release->StringOr(""), kNameBytes);
    return absl::OkStatus();
  }

  absl::Status TakeCanary(const Json& frame) {
    const Json* name = frame.Find("name");
    const Json* achieved = frame.Find("achieved");
    if (name == nullptr || !name->is_string() || name->string().empty() || achieved == nullptr || !achieved->is_boolean()) {
      return Malformed("canary without \"name\" and \"achieved\"");
    }
    if (frames_->canaries.size() >= bounds_.canaries) {
      return absl::ResourceExhaustedError(absl::StrCat("more than ", bounds_.canaries, " canaries"));
    }
    v1::LayerState& layer = frames_->canaries.emplace_back();
    layer.set_name(Excerpt(name->string(), kNameBytes));
    layer.set_achieved(achieved->boolean());
    if (const Json* detail = frame.Find("detail")) layer.set_detail(Excerpt(detail->StringOr(""), kDetailBytes));
    return absl::OkStatus();
  }

  absl::Status TakeLoaded(const Json& frame) {
    const Json* name = frame.Find("table");
    const Json* columns = frame.Find("columns");
    if (name == nullptr || !name->is_string() || columns == nullptr || !columns->is_array()) {
      return Malformed("loaded without \"table\" and \"columns\"");
    }
    auto table = std::find_if(frames_->loaded.begin(), frames_->loaded.end(),
                              [&](const LoadedTable& known) { return known.table == name->string(); });
    if (table == frames_->loaded.end()) {
      frames_->loaded.push_back(LoadedTable{name->string(), {}});
      table = frames_->loaded.end() - 1;
    }
    for (const Json& column : columns->items()) {
      if (!column.is_string()) return Malformed("a loaded column that is not text");
      if (std::find(table->columns.begin(), table->columns.end(), column.string()) != table->columns.end()) continue;
      if (++columns_ > bounds_.columns) {
        return absl::ResourceExhaustedError(absl::StrCat("more than ", bounds_.columns, " loaded columns"));
      }
      table->columns.push_back(column.string());
    }
    return absl::OkStatus();
  }

  absl::Status Malformed(const std::string& what) const {
    return absl::InvalidArgumentError(absl::StrCat("frame ", number_, " is not what the protocol says: ", what));
  }

  const std::string_view bytes_;
  const FrameBounds& bounds_;
  GuestFrames* const frames_;
  size_t position_ = 0;
  size_t number_ = 0;
  size_t columns_ = 0;
};

}  // namespace

GuestFrames ReadFrames(std::string_view bytes, const FrameBounds& bounds) {
  GuestFrames frames;
  frames.fault = FrameWalk(bytes, bounds, &frames).Walk();
  return frames;
}

}  // namespace conclave
