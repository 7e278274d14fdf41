// FakeRuntime: "runs" programs by asking the test.
#ifndef CONCLAVE_TESTS_SUPPORT_FAKE_RUNTIME_H_
#define CONCLAVE_TESTS_SUPPORT_FAKE_RUNTIME_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "conclave/runtime.h"

namespace conclave {

class FakeRuntime : public Runtime {
 public:
  using Behaviour = std::function<absl::StatusOr<v1::Execution>(const v1::Program&, const RunOptions&, const Cancellation&)>;

  FakeRuntime(v1::Language language, absl::StatusOr<std::string> engine, Behaviour behaviour)
      : language_(language), engine_(std::move(engine)), behaviour_(std::move(behaviour)) {}

  v1::Language language() const override { return language_; }
  absl::StatusOr<std::string> Engine() const override { return engine_; }
  absl::StatusOr<v1::Execution> Run(const v1::Program& program, const std::vector<DatasetPtr>&, const RunOptions& options,
                                    const Cancellation& cancellation) const override {
    if (!engine_.ok()) return engine_.status();
    absl::StatusOr<v1::Execution> execution = behaviour_(program, options, cancellation);
    if (!execution.ok()) return execution;
    execution->set_program_id(program.id());
    execution->set_language(language_);
    if (execution->engine().empty()) execution->set_engine(*engine_);
    return execution;
  }

  // A run that ended well with this integer.
  static v1::Execution Integer(const std::string& lexeme) {
    v1::Execution execution;
    execution.set_end_reason(v1::OK);
    execution.mutable_answer()->set_kind(v1::INTEGER);
    execution.mutable_answer()->mutable_value()->set_integer(lexeme);
    return execution;
  }

  // A run that ended for this reason without an answer.
  static v1::Execution Ended(v1::EndReason reason, const std::string& detail) {
    v1::Execution execution;
    execution.set_end_reason(reason);
    execution.set_detail(detail);
    return execution;
  }

 private:
  v1::Language language_;
  absl::StatusOr<std::string> engine_;
  Behaviour behaviour_;
};

}  // namespace conclave

#endif  // CONCLAVE_TESTS_SUPPORT_FAKE_RUNTIME_H_
