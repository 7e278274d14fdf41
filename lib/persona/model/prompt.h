// Prompt: what a language model is told to draft a program. Text from the data stands in one block between markers, as JSON
// strings, cut and escaped, so that it cannot pass for instructions; the instructions hold none of it.
//
// Thread safety: pure function.
#ifndef CONCLAVE_LIB_PERSONA_MODEL_PROMPT_H_
#define CONCLAVE_LIB_PERSONA_MODEL_PROMPT_H_

#include "conclave/model.h"
#include "conclave/persona.h"

namespace conclave {

// The same question gives the same prompt, byte for byte. At most about 16 kB: columns that do not fit are named only, and
// beyond that counted.
ModelRequest BuildPrompt(const PersonaQuestion& question, v1::Language language);

}  // namespace conclave

#endif  // CONCLAVE_LIB_PERSONA_MODEL_PROMPT_H_
