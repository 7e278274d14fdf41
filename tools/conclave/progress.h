// Progress: shows the events of a job on standard error while it lasts: a table that is drawn again on a terminal, plain
// lines elsewhere.
//
// Thread safety: Sink() may be called from any thread; the rest belongs to the thread that made the object.
// Ownership: owns its drawing thread; borrows the surroundings, which must outlive it.
#ifndef CONCLAVE_TOOLS_CONCLAVE_PROGRESS_H_
#define CONCLAVE_TOOLS_CONCLAVE_PROGRESS_H_

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

#include "absl/time/time.h"
#include "conclave/analyzer.h"
#include "tools/conclave/surroundings.h"
#include "tools/conclave/view/progress_table.h"

namespace conclave::cli {

class Progress {
 public:
  // With `quiet` nothing is shown.
  Progress(const Surroundings& surroundings, bool quiet);
  // Takes the table off the terminal.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Valid as long as this object.
  EventSink Sink();

 private:
  enum class Mode { kNone, kLines, kLive };

  void Observe(const v1::Event& event);
  void Draw();  // with mutex_ held
  void KeepDrawing();

  const Surroundings& surroundings_;
  const Mode mode_;
  const absl::Time started_;
  std::mutex mutex_;
  std::condition_variable wake_;
  ProgressTable table_;
  size_t lines_drawn_ = 0;
  bool over_ = false;
  std::thread drawer_;
};

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_PROGRESS_H_
