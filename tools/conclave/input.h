// Input: the files of a command as dataset sources, standard input among them.
//
// Thread safety: an object belongs to one thread.
// Ownership: owns the file that standard input was copied to; sources borrow its descriptor.
#ifndef CONCLAVE_TOOLS_CONCLAVE_INPUT_H_
#define CONCLAVE_TOOLS_CONCLAVE_INPUT_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conclave/cancellation.h"
#include "conclave/v1/job.pb.h"
#include "lib/base/descriptor.h"

namespace conclave::cli {

// Where standard input may be copied to, and how much of it.
struct SpoolPlace {
  std::string folder = "/tmp";
  int64_t bytes = 16LL << 30;
};

class Input {
 public:
  // One source for each of `files`; "-" stands for `standard_input`, which is copied to an unlinked temporary file, because
  // data is read more than once. InvalidArgument when "-" stands twice, ResourceExhausted naming the place when it is full,
  // Cancelled.
  static absl::StatusOr<Input> Open(const std::vector<std::string>& files, int standard_input, const SpoolPlace& place,
                                    const Cancellation& cancellation);

  const std::vector<v1::DatasetSource>& sources() const { return sources_; }

 private:
  std::vector<v1::DatasetSource> sources_;
  Descriptor spool_;
};

// The code of a program: of the file at `path`, or of `standard_input` for "-". NotFound or InvalidArgument naming the file;
// InvalidArgument when it is empty or beyond 1 MB.
absl::StatusOr<std::string> ReadCode(const std::string& path, int standard_input, const Cancellation& cancellation);

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_INPUT_H_
