// Examination: checks of everything an engine depends on, each with the way out when it is missing.
//
// Thread safety: may be called from any thread at any time.
// Ownership: borrows its arguments for the length of the call.
#ifndef CONCLAVE_LIB_ENGINE_EXAMINATION_H_
#define CONCLAVE_LIB_ENGINE_EXAMINATION_H_

#include <string>
#include <vector>

#include "conclave/engine.h"
#include "conclave/persona.h"
#include "conclave/runtime.h"
#include "conclave/sandbox.h"
#include "lib/analyzer/question_analyzer.h"
#include "lib/engine/guest_folder.h"

namespace conclave {

// One finding for the sandbox as a whole and one for each of its layers.
std::vector<Finding> ExamineSandbox(const Sandbox& sandbox);

// The file this code was loaded from, and its release.
Finding ExamineLibrary();

// Whether the guest programs of the folder start and are of this library's release.
Finding ExamineGuests(const Sandbox& sandbox, const GuestFolder& guests);

// Whether there is anybody to ask, and their names.
Finding ExaminePanel(const std::vector<PersonaPtr>& panel);

// Whether the runtime can be used, and its engine.
Finding ExamineRuntime(const Runtime& runtime, const std::string& part);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ENGINE_EXAMINATION_H_
