#include "lib/base/clock.h"

#include <chrono>

#include "absl/time/clock.h"

namespace conclave {
namespace {

class SystemClock : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }
  absl::Duration Elapsed() const override { return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch()); }
};

}  // namespace

const Clock& Clock::System() {
  static const SystemClock* const clock = new SystemClock();
  return *clock;
}

}  // namespace conclave
