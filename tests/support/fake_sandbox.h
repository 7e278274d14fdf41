// FakeSandbox: runs nothing; ends each run as the test says and remembers what it was asked.
#ifndef CONCLAVE_TESTS_SUPPORT_FAKE_SANDBOX_H_
#define CONCLAVE_TESTS_SUPPORT_FAKE_SANDBOX_H_

#include <sys/stat.h>
#include <unistd.h>

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "conclave/sandbox.h"

namespace conclave {

class FakeSandbox : public Sandbox {
 public:
  using Behaviour = std::function<absl::StatusOr<SandboxResult>(const SandboxRequest&, const Cancellation&)>;

  // A request as it was, with the content of the regular files it granted, by guest number: descriptors close later.
  struct Seen {
    SandboxRequest request;
    std::map<int, std::string> files;
  };

  // The next run ends like this; results are given out in order. When there is none left, `Otherwise` decides.
  void Push(absl::StatusOr<SandboxResult> result) {
    const std::lock_guard<std::mutex> lock(mutex_);
    script_.push_back(std::move(result));
  }
  void Otherwise(Behaviour behaviour) { behaviour_ = std::move(behaviour); }

  // A run that ended well and sent `result`, with all layers of L0.
  static SandboxResult Good(std::string result) {
    SandboxResult good;
    good.end_reason = v1::OK;
    good.detail = "exited with status 0";
    good.isolation_level = 0;
    good.usage.set_wall_us(1000);
    good.result = std::move(result);
    return good;
  }

  static SandboxResult Ended(v1::EndReason reason, std::string detail) {
    SandboxResult ended = Good("");
    ended.end_reason = reason;
    ended.detail = std::move(detail);
    return ended;
  }

  absl::StatusOr<SandboxResult> Run(const SandboxRequest& request, const Cancellation& cancellation) const override {
    Seen seen{request, {}};
    for (const DescriptorGrant& grant : request.descriptors) {
      struct stat status = {};
      if (::fstat(grant.host, &status) != 0 || !S_ISREG(status.st_mode)) continue;
      std::string& content = seen.files[grant.guest];
      content.resize(static_cast<size_t>(status.st_size));
      const ssize_t count = ::pread(grant.host, content.data(), content.size(), 0);
      content.resize(count < 0 ? 0 : static_cast<size_t>(count));
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      seen_.push_back(std::move(seen));
      if (!script_.empty()) {
        absl::StatusOr<SandboxResult> next = std::move(script_.front());
        script_.pop_front();
        return next;
      }
    }
    if (behaviour_ != nullptr) return behaviour_(request, cancellation);
    return absl::FailedPreconditionError("the test gave this sandbox no more results");
  }

  absl::StatusOr<SandboxCapabilities> Probe() const override { return SandboxCapabilities{0, {}, "fake"}; }

  std::vector<Seen> seen() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return seen_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::deque<absl::StatusOr<SandboxResult>> script_;
  mutable std::vector<Seen> seen_;
  Behaviour behaviour_;
};

}  // namespace conclave

#endif  // CONCLAVE_TESTS_SUPPORT_FAKE_SANDBOX_H_
