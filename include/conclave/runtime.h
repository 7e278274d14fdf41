// Runtime: turns a Program in one language into a sandboxed run over datasets, and its output into a typed Execution.
//
// Thread safety: const functions may run concurrently.
// Ownership: borrows its arguments for the length of the call.
#ifndef CONCLAVE_RUNTIME_H_
#define CONCLAVE_RUNTIME_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conclave/cancellation.h"
#include "conclave/dataset.h"
#include "conclave/sandbox.h"
#include "conclave/v1/execution.pb.h"

namespace conclave {

struct RunOptions {
  Limits limits;
  absl::Time deadline = absl::InfiniteFuture();
  uint64_t seed = 0;
  std::string time_zone = "UTC";
};

class Runtime {
 public:
  virtual ~Runtime() = default;

  virtual v1::Language language() const = 0;

  // "sqlite 3.40.1", "pandas 1.5.3 (python 3.11.2)"; or why the runtime cannot be used, with the way out. May take a run to
  // find out.
  virtual absl::StatusOr<std::string> Engine() const = 0;

  // Runs the program. A program that fails, is refused by a static check or is killed yields an Execution saying so;
  // a Status means that no run could take place: Unavailable where the engine is missing, else as Sandbox::Run.
  virtual absl::StatusOr<v1::Execution> Run(const v1::Program& program, const std::vector<DatasetPtr>& datasets,
                                            const RunOptions& options, const Cancellation& cancellation) const = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_RUNTIME_H_
