#include "lib/persona/offline_persona.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/program_id.h"
#include "lib/persona/offline/reader.h"
#include "lib/plan/describe.h"
#include "lib/plan/pandas_writer.h"
#include "lib/plan/shape.h"
#include "lib/plan/sql_writer.h"

namespace conclave {
namespace {

std::string ZoneOf(const v1::JobContext& context) { return context.time_zone().empty() ? "UTC" : context.time_zone(); }

class OfflinePersona : public Persona {
 public:
  OfflinePersona(std::string name, v1::Language language, PlanWriter writer)
      : name_(std::move(name)), language_(language), writer_(std::move(writer)) {}

  std::string name() const override { return name_; }
  std::string lineage() const override { return kOfflineLineage; }
  v1::Language language() const override { return language_; }

  absl::StatusOr<Draft> Write(const PersonaQuestion& question, const Cancellation& cancellation) const override {
    if (cancellation.cancelled()) return absl::CancelledError("cancelled before the question was read");
    offline::Reading reading = offline::ReadQuestion(question.question, question.profiles, ZoneOf(question.context));
    Draft draft;
    if (reading.decline) {
      draft.decline = std::move(reading.decline);
      return draft;
    }
    v1::Program program;
    program.set_language(language_);
    program.set_code(writer_(*reading.plan));
    program.set_id(ProgramId(program));
    program.set_persona(name_);
    program.set_lineage(lineage());
    for (std::string& note : reading.notes) program.add_notes(std::move(note));
    for (std::string& column : reading.spellings) program.add_spellings(std::move(column));
    program.set_reading(Describe(*reading.plan, question.profiles.size() > 1));
    for (std::string& assumption : reading.assumptions) program.add_assumptions(std::move(assumption));
    program.set_when_none(WhyNone(*reading.plan));
    program.set_when_zero(WhyZero(*reading.plan));
    program.set_cells(HoldsCells(*reading.plan));
    *program.mutable_shape() = ShapeOf(*reading.plan);
    draft.program = std::move(program);
    return draft;
  }

 private:
  const std::string name_;
  const v1::Language language_;
  const PlanWriter writer_;
};

}  // namespace

std::unique_ptr<Persona> CreateOfflinePersona(v1::Language language) {
  return CreateOfflinePersona(language, language == v1::SQL ? PlanWriter(WriteSql) : PlanWriter(WritePandas));
}

std::unique_ptr<Persona> CreateOfflinePersona(v1::Language language, PlanWriter writer) {
  switch (language) {
    case v1::SQL: return std::make_unique<OfflinePersona>("offline-sql", language, std::move(writer));
    case v1::PYTHON: return std::make_unique<OfflinePersona>("offline-pandas", language, std::move(writer));
    default: return nullptr;
  }
}

}  // namespace conclave
