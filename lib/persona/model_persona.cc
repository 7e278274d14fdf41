#include "lib/persona/model_persona.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/program_id.h"
#include "lib/persona/model/prompt.h"
#include "lib/persona/model/reply.h"

namespace conclave {
namespace {

class ModelPersona : public Persona {
 public:
  ModelPersona(std::shared_ptr<const Model> model, std::string name, v1::Language language)
      : model_(std::move(model)), name_(std::move(name)), language_(language) {}

  std::string name() const override { return name_; }
  std::string lineage() const override { return model_->lineage(); }
  v1::Language language() const override { return language_; }

  absl::StatusOr<Draft> Write(const PersonaQuestion& question, const Cancellation& cancellation) const override {
    ModelRequest request = BuildPrompt(question, language_);
    request.deadline = question.deadline;
    absl::StatusOr<ModelReply> reply = model_->Complete(request, cancellation);
    if (!reply.ok()) return reply.status();
    absl::StatusOr<ReadReply> read = ReadModelReplyText(*reply, language_);
    if (!read.ok()) {
      return absl::Status(read.status().code(), absl::StrCat(model_->name(), ": ", std::string(read.status().message())));
    }
    Draft draft;
    if (!read->decline.empty()) {
      draft.decline.emplace();
      draft.decline->reason = absl::StrCat(model_->name(), " declined: ", read->decline);
      return draft;
    }
    v1::Program program;
    program.set_language(language_);
    program.set_code(std::move(read->code));
    program.set_id(ProgramId(program));
    program.set_persona(name_);
    program.set_lineage(lineage());
    program.set_reading(std::move(read->reading));
    for (std::string& assumption : read->assumptions) program.add_assumptions(std::move(assumption));
    draft.program = std::move(program);
    return draft;
  }

 private:
  const std::shared_ptr<const Model> model_;
  const std::string name_;
  const v1::Language language_;
};

}  // namespace

std::unique_ptr<Persona> CreateModelPersona(std::shared_ptr<const Model> model, v1::Language language) {
  if (language != v1::SQL && language != v1::PYTHON) return nullptr;
  std::string name = absl::StrCat(model->name(), language == v1::SQL ? "-sql" : "-python");
  return std::make_unique<ModelPersona>(std::move(model), std::move(name), language);
}

}  // namespace conclave
