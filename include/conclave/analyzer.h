// Analyzer: carries one question from start to insight.
//
// Thread safety: const functions may run concurrently.
// Ownership: borrows its arguments for the length of the call.
#ifndef CONCLAVE_ANALYZER_H_
#define CONCLAVE_ANALYZER_H_

#include <functional>

#include "absl/status/statusor.h"
#include "conclave/cancellation.h"
#include "conclave/v1/insight.pb.h"
#include "conclave/v1/job.pb.h"

namespace conclave {

// Receives the events of one job, in order, one at a time, from threads of the library. Must not block for long and must not
// call back into the analyzer.
using EventSink = std::function<void(const v1::Event&)>;

class Analyzer {
 public:
  virtual ~Analyzer() = default;

  // Answers the question. Every way a question can end is an Insight with an outcome; a Status means that the input could not
  // be used (NotFound, InvalidArgument), that isolation is missing (FailedPrecondition), that the job was cancelled
  // (Cancelled), or that a resource ran out (ResourceExhausted). `sink` may be empty.
  virtual absl::StatusOr<v1::Insight> Analyze(const v1::AnalysisJob& job, const Cancellation& cancellation,
                                              const EventSink& sink) const = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_ANALYZER_H_
