// SourceFile: a user's file, open for reading and nothing else, and known well enough to notice when it changes. The bytes are
// digested here and looked at nowhere on this side of the trust boundary.
//
// Thread safety: const functions may run concurrently.
// Ownership: owns its descriptor, which is never the caller's.
#ifndef CONCLAVE_LIB_DATASET_SOURCE_FILE_H_
#define CONCLAVE_LIB_DATASET_SOURCE_FILE_H_

#include <sys/types.h>
#include <time.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conclave/cancellation.h"
#include "conclave/v1/job.pb.h"
#include "lib/base/descriptor.h"

namespace conclave {

struct SourceOptions {
  // Where what comes through pipes is kept; must exist.
  std::string temporary_folder = "/tmp";
  // How long a named pipe may go without anybody who writes to it.
  absl::Duration pipe_patience = absl::Seconds(30);
  // Larger files are refused.
  int64_t bytes = 64LL << 30;
  // More than this is not kept of a stream.
  int64_t streamed_bytes = 16LL << 30;
  // When to give up reading.
  absl::Time deadline = absl::InfiniteFuture();
};

class SourceFile {
 public:
  // Opens what `source` names. `place` says where it stands in the job ("datasets[1]") and begins every message. Pipes and
  // other streams are read to their end into a temporary file. NotFound names similar files of the folder; InvalidArgument for
  // folders, devices and sources that name nothing or two things; PermissionDenied; ResourceExhausted for files that are too
  // large; DeadlineExceeded; Cancelled.
  static absl::StatusOr<SourceFile> Open(const v1::DatasetSource& source, const std::string& place,
                                         const SourceOptions& options, const Cancellation& cancellation);

  int descriptor() const { return file_.get(); }
  const std::string& name() const { return name_; }
  int64_t bytes() const { return bytes_; }

  // SHA-256 of the bytes, lower-case hex.
  absl::StatusOr<std::string> Digest(const Cancellation& cancellation, absl::Time deadline = absl::InfiniteFuture()) const;

  // Aborted when size, time of change or identity differ from those at Open.
  absl::Status CheckUnchanged() const;

 private:
  SourceFile() = default;

  Descriptor file_;
  std::string name_;
  std::string place_;
  int64_t bytes_ = 0;
  ino_t inode_ = 0;
  timespec changed_ = {};
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_DATASET_SOURCE_FILE_H_
