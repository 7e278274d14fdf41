// PythonInterpreter: which Python interpreters a runtime tries, in which order, and what each needs to read.
//
// Thread safety: value types and pure functions over the file system.
#ifndef CONCLAVE_LIB_RUNTIME_PYTHON_INTERPRETER_H_
#define CONCLAVE_LIB_RUNTIME_PYTHON_INTERPRETER_H_

#include <string>
#include <string_view>
#include <vector>

namespace conclave {

// Where to look. See ReadPythonSurroundings for what the environment says.
struct PythonSurroundings {
  std::string chosen;  // CONCLAVE_PYTHON; empty when not set
  std::string path;    // PATH
  // Variables passed on to runs when the host has them, as "NAME=value": OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE, because older
  // OpenBLAS misjudges some processors and then crashes or hangs on import, which these correct.
  std::vector<std::string> passed_on;
};

// Reads the environment once: CONCLAVE_PYTHON, PATH and the variables passed on. Nothing is read in a set-uid process.
PythonSurroundings ReadPythonSurroundings();

// The interpreters to try, most wanted first, each once. `given` alone when it is not empty; else CONCLAVE_PYTHON, then python3
// in every absolute folder of PATH where there is one, then /usr/bin/python3. Nothing but `given` and CONCLAVE_PYTHON may be
// missing.
std::vector<std::string> PythonCandidates(std::string_view given, const PythonSurroundings& surroundings);

// What a run must be allowed to read so that the interpreter starts and finds its modules: of each installation that the path
// leads through, by links or as the base of a virtual environment, the parts that hold programs, modules and libraries, and no
// more, because an installation may lie in somebody's home. Nothing of the system's own folders, which every run may read; each
// once, those that exist. For SandboxRequest::readable.
std::vector<std::string> ReadableFor(const std::string& interpreter);

}  // namespace conclave

#endif  // CONCLAVE_LIB_RUNTIME_PYTHON_INTERPRETER_H_
