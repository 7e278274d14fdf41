// Model: a language model that completes a prompt. Providers, local servers, commands and host callbacks are all Models.
//
// Thread safety: const functions may run concurrently.
// Ownership: borrows its arguments for the length of the call.
#ifndef CONCLAVE_MODEL_H_
#define CONCLAVE_MODEL_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conclave/cancellation.h"
#include "conclave/v1/execution.pb.h"

namespace conclave {

struct ModelRequest {
  v1::Language language = v1::LANGUAGE_UNSPECIFIED;  // of the program that is asked for
  std::string instructions;                          // the system message
  std::string prompt;                                // the user message
  double temperature = 0;
  int max_output_tokens = 2048;
  uint64_t seed = 0;
  absl::Time deadline = absl::InfiniteFuture();
};

struct ModelReply {
  std::string text;
  std::string model;          // as the provider names it
  bool truncated = false;     // stopped by max_output_tokens
  int64_t input_tokens = -1;  // -1 when not reported
  int64_t output_tokens = -1;
};

class Model {
 public:
  virtual ~Model() = default;

  // As people know it: "qwen3.6-27b". Personas are named after it.
  virtual std::string name() const = 0;

  // The author of readings this model is: one per model family, so that two sizes of one family are one lineage.
  virtual std::string lineage() const = 0;

  virtual absl::StatusOr<ModelReply> Complete(const ModelRequest& request, const Cancellation& cancellation) const = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_MODEL_H_
