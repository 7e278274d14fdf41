// FakeClock: a clock that stands still until the test moves it.
#ifndef CONCLAVE_TESTS_SUPPORT_FAKE_CLOCK_H_
#define CONCLAVE_TESTS_SUPPORT_FAKE_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "lib/base/clock.h"

namespace conclave {

class FakeClock : public Clock {
 public:
  absl::Time Now() const override { return absl::FromUnixMicros(1'700'000'000'000'000 + now_us_); }
  absl::Duration Elapsed() const override { return absl::Microseconds(now_us_.load()); }
  void Advance(absl::Duration by) { now_us_ += absl::ToInt64Microseconds(by); }

 private:
  std::atomic<int64_t> now_us_{0};
};

}  // namespace conclave

#endif  // CONCLAVE_TESTS_SUPPORT_FAKE_CLOCK_H_
