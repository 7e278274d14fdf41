// Offline persona: an analyst without a model. It reads the question by a closed grammar and declines what it cannot account
// for word by word; its two forms read alike and write with different writers, one SQL and one pandas.
//
// Thread safety: const functions may run concurrently.
// Ownership: the caller owns the persona.
//
//   std::unique_ptr<Persona> persona = CreateOfflinePersona(v1::SQL);
//   absl::StatusOr<Draft> draft = persona->Write(question, Cancellation());
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_PERSONA_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_PERSONA_H_

#include <functional>
#include <memory>
#include <string>

#include "conclave/persona.h"
#include "lib/plan/plan.h"

namespace conclave {

// Turns a plan into the code of one language.
using PlanWriter = std::function<std::string(const Plan&)>;

// "offline-sql" for SQL, "offline-pandas" for PYTHON; null for other languages.
std::unique_ptr<Persona> CreateOfflinePersona(v1::Language language);

// The same with a writer of the caller's, so that a faulty writer can be put in place of a good one.
std::unique_ptr<Persona> CreateOfflinePersona(v1::Language language, PlanWriter writer);

}  // namespace conclave

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_PERSONA_H_
