// Persona: an analyst that reads a question and drafts a program for it, or declines and says why.
// It sees profiles only, never data.
//
// Thread safety: const functions may run concurrently.
// Ownership: borrows its arguments for the length of the call.
#ifndef CONCLAVE_PERSONA_H_
#define CONCLAVE_PERSONA_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conclave/cancellation.h"
#include "conclave/v1/execution.pb.h"
#include "conclave/v1/job.pb.h"
#include "conclave/v1/profile.pb.h"

namespace conclave {

struct PersonaQuestion {
  std::string question;
  std::vector<v1::Profile> profiles;
  v1::Expectation expectation;
  v1::JobContext context;
  absl::Time deadline = absl::InfiniteFuture();  // of the whole job
};

struct Decline {
  std::string reason;                       // one sentence for people
  std::vector<std::string> not_understood;  // words of the question left over
  std::vector<std::string> suggestions;     // candidates: column names, close values
};

// Exactly one of the two is set.
struct Draft {
  std::optional<v1::Program> program;
  std::optional<Decline> decline;
};

// The lineage of the analyst that comes with Conclave, whose reading is written from what its program computes. No model's.
inline constexpr char kOfflineLineage[] = "offline";

class Persona {
 public:
  virtual ~Persona() = default;

  virtual std::string name() const = 0;     // "offline-sql"
  virtual std::string lineage() const = 0;  // "offline"
  virtual v1::Language language() const = 0;

  // A Status means that the persona could not do its work (its model was unreachable); declining is a Draft.
  virtual absl::StatusOr<Draft> Write(const PersonaQuestion& question, const Cancellation& cancellation) const = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_PERSONA_H_
