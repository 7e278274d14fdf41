// EventStream: numbers and times the events of one job and hands them to its sink one at a time.
//
// Thread safety: every function may be called from any thread at any time.
// Ownership: borrows the clock and the sink.
#ifndef CONCLAVE_LIB_ANALYZER_EVENT_STREAM_H_
#define CONCLAVE_LIB_ANALYZER_EVENT_STREAM_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "absl/time/time.h"
#include "conclave/analyzer.h"
#include "lib/base/clock.h"

namespace conclave {

class EventStream {
 public:
  EventStream(const Clock& clock, const EventSink& sink) : clock_(clock), sink_(sink), start_(clock.Elapsed()) {}

  struct Step {
    std::string phase;
    std::string persona;
    std::string state;
    std::string message;
    std::map<std::string, int64_t> numbers;
  };
  void Emit(const Step& step);

  absl::Duration elapsed() const { return clock_.Elapsed() - start_; }

 private:
  const Clock& clock_;
  const EventSink& sink_;
  const absl::Duration start_;
  std::mutex mutex_;
  int64_t sequence_ = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANALYZER_EVENT_STREAM_H_
