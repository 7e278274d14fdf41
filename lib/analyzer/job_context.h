// JobContext checks: what a job asks for, with defaults filled in, or an error that names the field.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_ANALYZER_JOB_CONTEXT_H_
#define CONCLAVE_LIB_ANALYZER_JOB_CONTEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conclave/sandbox.h"
#include "conclave/v1/job.pb.h"

namespace conclave {

struct ResolvedContext {
  v1::JobContext context;  // as given, with every default written out
  Limits run_limits;
  absl::Time deadline;
};

// InvalidArgument naming the field ("context.run_limits.wall_ms: -5 is negative: ...").
absl::StatusOr<ResolvedContext> ResolveContext(const v1::JobContext& context, absl::Time now);

// InvalidArgument unless the question is 1 to 4,000 bytes of UTF-8 with at least one letter or digit, and there is a dataset.
absl::Status CheckAnalysisJob(const v1::AnalysisJob& job);

// InvalidArgument unless the language is known, the code is 1 byte to 1 MB of UTF-8, and there is a dataset.
absl::Status CheckExecutionJob(const v1::ExecutionJob& job);

// InvalidArgument unless there is a dataset.
absl::Status CheckProfileJob(const v1::ProfileJob& job);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANALYZER_JOB_CONTEXT_H_
