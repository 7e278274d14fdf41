// PythonRuntime: runs Python programs with pandas in the sandbox (lib/guest/python is what runs there).
//
// Thread safety: const functions may run concurrently.
// Ownership: borrows the sandbox, which must outlive it.
//
//   std::unique_ptr<Runtime> python = CreatePythonRuntime(sandbox, PythonRuntimeOptions());
//   absl::StatusOr<std::string> engine = python->Engine();  // "pandas 1.5.3 (python 3.11.2)"
#ifndef CONCLAVE_LIB_RUNTIME_PYTHON_RUNTIME_H_
#define CONCLAVE_LIB_RUNTIME_PYTHON_RUNTIME_H_

#include <memory>
#include <string>

#include "conclave/runtime.h"
#include "conclave/sandbox.h"
#include "lib/runtime/python_interpreter.h"

namespace conclave {

struct PythonRuntimeOptions {
  // Absolute path of the only interpreter to use. Empty: those of PythonCandidates(), the first that can import pandas in the
  // sandbox, so that one that only the host's user can reach is passed over.
  std::string interpreter;
  PythonSurroundings surroundings = ReadPythonSurroundings();
};

// The interpreter is looked for once, by the first call that needs it, by running it. When none will do, Engine() and Run()
// return Unavailable, which lists every candidate with what is wrong with it, and says what to install.
std::unique_ptr<Runtime> CreatePythonRuntime(const Sandbox& sandbox, const PythonRuntimeOptions& options);

}  // namespace conclave

#endif  // CONCLAVE_LIB_RUNTIME_PYTHON_RUNTIME_H_
