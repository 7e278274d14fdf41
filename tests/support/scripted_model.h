// ScriptedModel: a language model that says what the test says, and remembers what it was asked.
#ifndef CONCLAVE_TESTS_SUPPORT_SCRIPTED_MODEL_H_
#define CONCLAVE_TESTS_SUPPORT_SCRIPTED_MODEL_H_

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "conclave/model.h"

namespace conclave {

class ScriptedModel : public Model {
 public:
  using Script = std::function<absl::StatusOr<ModelReply>(const ModelRequest&, const Cancellation&)>;

  ScriptedModel(std::string name, std::string lineage, Script script)
      : name_(std::move(name)), lineage_(std::move(lineage)), script_(std::move(script)) {}

  // A model that always says `text`.
  ScriptedModel(std::string name, std::string text)
      : ScriptedModel(name, name, [text](const ModelRequest&, const Cancellation&) {
          ModelReply reply;
          reply.text = text;
          return absl::StatusOr<ModelReply>(reply);
        }) {}

  std::string name() const override { return name_; }
  std::string lineage() const override { return lineage_; }
  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, const Cancellation& cancellation) const override {
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    return script_(request, cancellation);
  }

  std::vector<ModelRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  const std::string name_;
  const std::string lineage_;
  const Script script_;
  mutable std::mutex mutex_;
  mutable std::vector<ModelRequest> requests_;
};

}  // namespace conclave

#endif  // CONCLAVE_TESTS_SUPPORT_SCRIPTED_MODEL_H_
