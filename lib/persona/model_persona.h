// Model persona: an analyst that has a language model read the question and write the program. The model sees the question and
// the profiles (names, types, ranges, frequent values of columns with few), never rows; what it sends back is checked for form
// here and is otherwise only a draft.
//
// Thread safety: const functions may run concurrently.
// Ownership: shares the model.
#ifndef CONCLAVE_LIB_PERSONA_MODEL_PERSONA_H_
#define CONCLAVE_LIB_PERSONA_MODEL_PERSONA_H_

#include <memory>

#include "conclave/model.h"
#include "conclave/persona.h"

namespace conclave {

// "NAME-sql" or "NAME-python" after the model's name; null for other languages.
std::unique_ptr<Persona> CreateModelPersona(std::shared_ptr<const Model> model, v1::Language language);

}  // namespace conclave

#endif  // CONCLAVE_LIB_PERSONA_MODEL_PERSONA_H_
