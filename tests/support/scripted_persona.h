// ScriptedPersona: drafts what the test says, and remembers what it was asked.
#ifndef CONCLAVE_TESTS_SUPPORT_SCRIPTED_PERSONA_H_
#define CONCLAVE_TESTS_SUPPORT_SCRIPTED_PERSONA_H_

#include <functional>
#include <string>
#include <utility>

#include "conclave/persona.h"

namespace conclave {

class ScriptedPersona : public Persona {
 public:
  using Script = std::function<absl::StatusOr<Draft>(const PersonaQuestion&, const Cancellation&)>;

  ScriptedPersona(std::string name, std::string lineage, v1::Language language, Script script)
      : name_(std::move(name)), lineage_(std::move(lineage)), language_(language), script_(std::move(script)) {}

  // A persona that always drafts `code`; its program's id is the code.
  static ScriptedPersona Drafting(std::string name, std::string lineage, v1::Language language, std::string code) {
    v1::Program program;
    program.set_id(code);
    program.set_language(language);
    program.set_code(std::move(code));
    program.set_persona(name);
    program.set_lineage(lineage);
    return ScriptedPersona(std::move(name), std::move(lineage), language,
                           [program](const PersonaQuestion&, const Cancellation&) {
                             Draft draft;
                             draft.program = program;
                             return draft;
                           });
  }

  // A persona that always declines.
  static ScriptedPersona Declining(std::string name, std::string lineage, Decline decline) {
    return ScriptedPersona(std::move(name), std::move(lineage), v1::SQL,
                           [decline](const PersonaQuestion&, const Cancellation&) {
                             Draft draft;
                             draft.decline = decline;
                             return draft;
                           });
  }

  std::string name() const override { return name_; }
  std::string lineage() const override { return lineage_; }
  v1::Language language() const override { return language_; }
  absl::StatusOr<Draft> Write(const PersonaQuestion& question, const Cancellation& cancellation) const override {
    return script_(question, cancellation);
  }

 private:
  std::string name_;
  std::string lineage_;
  v1::Language language_;
  Script script_;
};

}  // namespace conclave

#endif  // CONCLAVE_TESTS_SUPPORT_SCRIPTED_PERSONA_H_
