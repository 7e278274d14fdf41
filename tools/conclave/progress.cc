#include "tools/conclave/progress.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace conclave::cli {
namespace {

constexpr std::chrono::milliseconds kRedraw(150);

// Up over the lines drawn before, and clear from there on.
std::string Erase(size_t lines) { return lines == 0 ? "" : absl::StrCat("\x1b[", lines, "A\x1b[J"); }

}  // namespace

Progress::Progress(const Surroundings& surroundings, bool quiet)
    : surroundings_(surroundings),
      mode_(quiet                               ? Mode::kNone
            : surroundings.error_view.width > 0 ? Mode::kLive
                                                : Mode::kLines),
      started_(absl::Now()) {
  if (mode_ == Mode::kLive) drawer_ = std::thread([this] { KeepDrawing(); });
}

Progress::~Progress() {
  if (mode_ != Mode::kLive) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
  }
  wake_.notify_all();
  drawer_.join();
  surroundings_.write_error(Erase(lines_drawn_));
}

EventSink Progress::Sink() {
  if (mode_ == Mode::kNone) return nullptr;
  return [this](const v1::Event& event) { Observe(event); };
}

void Progress::Observe(const v1::Event& event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (mode_ == Mode::kLines) {
    surroundings_.write_error(ProgressLine(event));
  } else {
    table_.Observe(event);
    Draw();
  }
}

void Progress::Draw() {
  View view = surroundings_.error_view;
  view.width = surroundings_.error_width();
  const std::string text = table_.Render(absl::ToInt64Microseconds(absl::Now() - started_), view);
  surroundings_.write_error(Erase(lines_drawn_) + text);
  lines_drawn_ = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

void Progress::KeepDrawing() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!wake_.wait_for(lock, kRedraw, [this] { return over_; })) Draw();
}

}  // namespace conclave::cli
