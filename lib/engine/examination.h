// Examination: checks of everything an engine depends on, each with the way out when it is missing.
//
// Thread safety: may be called from any thread at any time.
// Ownership: borrows its arguments for the length of the call.
#ifndef CONCLAVE_LIB_ENGINE_EXAMINATION_H_
#define CONCLAVE_LIB_ENGINE_EXAMINATION_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conclave/engine.h"
#include "conclave/persona.h"
#include "conclave/runtime.h"
#include "conclave/sandbox.h"
#include "lib/analyzer/question_analyzer.h"
#include "lib/engine/guest_folder.h"
#include "lib/sandbox/isolation_facts.h"
#include "lib/sandbox/process_sandbox.h"

namespace conclave {

// What a sandbox of that isolation finds when it probes this machine.
using ProbeIsolation = std::function<absl::StatusOr<SandboxCapabilities>(const Isolation& isolation)>;

// Probes with sandboxes that are like one of `options` but for their isolation.
ProbeIsolation ProbeWith(const ProcessSandboxOptions& options);

// One finding "sandbox" for what was asked as a whole, one "sandbox L0" to "sandbox L3" for each level, which says what it
// denies or why it cannot be had, and one for each layer that a run has, "sandbox rlimits".
std::vector<Finding> ExamineSandbox(const Isolation& asked, const ProbeIsolation& probe, const IsolationFacts& facts);

// Whether runs and temporary stores can live in the folder, which was named by TMPDIR unless it is /tmp.
Finding ExamineTemporaryFolder(const std::string& folder);

// The file this code was loaded from, and its release.
Finding ExamineLibrary();

// Whether the guest programs of the folder start and are of this library's release.
Finding ExamineGuests(const Sandbox& sandbox, const GuestFolder& guests);

// Whether there is anybody to ask, and their names.
Finding ExaminePanel(const std::vector<PersonaPtr>& panel);

// Whether the runtime can be used, and its engine.
Finding ExamineRuntime(const Runtime& runtime, const std::string& part);

// What can be told where no engine can be made, because guest programs are missing: sandbox, temporary folder, library, Python.
std::vector<Finding> ExamineMachine(const EngineOptions& options);

// The folder for what is temporary: TMPDIR (not when set-id), else /tmp; absolute.
std::string ChosenTemporaryFolder();

}  // namespace conclave

#endif  // CONCLAVE_LIB_ENGINE_EXAMINATION_H_
