// Cancellation: a way for one thread to ask work on other threads to end early.
//
// Thread safety: every function may be called from any thread at any time.
// Ownership: a value type; copies share one state, which lives as long as the last copy.
//
//   conclave::CancellationSource source;
//   std::thread worker([token = source.token()] { engine->Analyze(job, token, nullptr); });
//   source.Cancel();
#ifndef CONCLAVE_CANCELLATION_H_
#define CONCLAVE_CANCELLATION_H_

#include <memory>

namespace conclave {

// What a worker looks at. A default-constructed token is never cancelled.
class Cancellation {
 public:
  Cancellation() = default;

  bool cancelled() const;

  // A descriptor that becomes readable when cancelled and stays so, for poll(); -1 for a token that is never cancelled.
  // Borrowed: valid as long as this token.
  int descriptor() const;

 private:
  friend class CancellationSource;
  struct State;
  std::shared_ptr<State> state_;
};

// What the owner of the work holds.
class CancellationSource {
 public:
  CancellationSource();

  // Async-signal-safe, and safe to repeat.
  void Cancel() const;

  Cancellation token() const { return token_; }

 private:
  Cancellation token_;
};

}  // namespace conclave

#endif  // CONCLAVE_CANCELLATION_H_
