// FakeEngine: an engine that gives what it was told to give and remembers what it was asked. For tests of what stands on one.
#ifndef CONCLAVE_TESTS_SUPPORT_FAKE_ENGINE_H_
#define CONCLAVE_TESTS_SUPPORT_FAKE_ENGINE_H_

#include <poll.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "conclave/engine.h"
#include "lib/base/descriptor.h"

namespace conclave {

// What a fake engine is to do, and what it was asked; shared by the test and the engines it hands out.
struct FakeEngineScript {
  absl::Status created;  // what making the engine gives
  absl::StatusOr<v1::Insight> insight = absl::UnimplementedError("no insight was scripted");
  absl::StatusOr<std::vector<v1::Profile>> profiles = absl::UnimplementedError("no profiles were scripted");
  absl::StatusOr<v1::Execution> execution = absl::UnimplementedError("no execution was scripted");
  std::vector<Finding> findings;
  std::vector<v1::Event> events;       // sent before anything is returned
  bool wait_for_cancellation = false;  // return Cancelled, and nothing before

  std::vector<EngineOptions> options;  // of every engine made
  v1::AnalysisJob analysis_job;        // the last of each
  v1::ProfileJob profile_job;
  v1::ExecutionJob execution_job;
  std::pair<std::string, std::string> recalled;  // scope, id
  std::vector<std::string> contents;             // of the descriptors among the datasets
  int alive = 0;                                 // engines not destroyed yet
};

class FakeEngine : public Engine {
 public:
  explicit FakeEngine(FakeEngineScript& script) : script_(script) { ++script_.alive; }
  ~FakeEngine() override { --script_.alive; }

  absl::StatusOr<v1::Insight> Analyze(const v1::AnalysisJob& job, const Cancellation& cancellation,
                                      const EventSink& sink) const override {
    script_.analysis_job = job;
    return Play(job, script_.insight, cancellation, sink);
  }
  absl::StatusOr<std::vector<v1::Profile>> Profile(const v1::ProfileJob& job, const Cancellation& cancellation,
                                                   const EventSink& sink) const override {
    script_.profile_job = job;
    return Play(job, script_.profiles, cancellation, sink);
  }
  absl::StatusOr<v1::Execution> Execute(const v1::ExecutionJob& job, const Cancellation& cancellation,
                                        const EventSink& sink) const override {
    script_.execution_job = job;
    return Play(job, script_.execution, cancellation, sink);
  }
  absl::Status AddModel(std::shared_ptr<const Model>) override { return absl::OkStatus(); }
  absl::StatusOr<v1::Insight> Recall(const std::string& scope, const std::string& id) const override {
    script_.recalled = {scope, id};
    return script_.insight;
  }
  std::vector<Finding> Examine() const override { return script_.findings; }

 private:
  template <typename Job, typename Result>
  Result Play(const Job& job, const Result& result, const Cancellation& cancellation, const EventSink& sink) const {
    script_.contents.clear();
    for (const v1::DatasetSource& source : job.datasets()) {
      if (source.has_descriptor()) script_.contents.push_back(ReadAll(source.descriptor(), 1 << 24).value());
    }
    for (const v1::Event& event : script_.events) {
      if (sink) sink(event);
    }
    if (script_.wait_for_cancellation) {
      pollfd wait = {cancellation.descriptor(), POLLIN, 0};
      while (::poll(&wait, 1, -1) < 1) {}
      return absl::CancelledError("cancelled");
    }
    return result;
  }

  FakeEngineScript& script_;
};

}  // namespace conclave

#endif  // CONCLAVE_TESTS_SUPPORT_FAKE_ENGINE_H_
