// Clock: where time comes from, so that tests can say what time it is.
//
// Thread safety: every function may be called from any thread at any time.
#ifndef CONCLAVE_LIB_BASE_CLOCK_H_
#define CONCLAVE_LIB_BASE_CLOCK_H_

#include "absl/time/time.h"

namespace conclave {

class Clock {
 public:
  virtual ~Clock() = default;

  // Wall-clock time: for records and deadlines.
  virtual absl::Time Now() const = 0;

  // Time since some fixed point, never going back: for durations.
  virtual absl::Duration Elapsed() const = 0;

  // The machine's clocks. Never destroyed.
  static const Clock& System();
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_BASE_CLOCK_H_
