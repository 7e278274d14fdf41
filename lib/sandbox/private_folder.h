// PrivateFolder: the one folder a run may write to. Made empty for the run and removed after it, whatever the run left in it.
// The folder itself is locked (flock) as long as a process of ours has it open: host, supervisor, remover. One that is not
// locked belongs to processes that were killed, and a later host removes it.
//
// Thread safety: value type; not shared between threads without care.
// Ownership: owns the folder on disk; removes it on destruction, unless it was disowned.
#ifndef CONCLAVE_LIB_SANDBOX_PRIVATE_FOLDER_H_
#define CONCLAVE_LIB_SANDBOX_PRIVATE_FOLDER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/descriptor.h"

namespace conclave {

class PrivateFolder {
 public:
  // A new folder below `parent`, mode 0700. The error names the parent.
  static absl::StatusOr<PrivateFolder> Create(const std::string& parent);

  // Removes the folders below `parent` whose processes were killed, before the run began or together with its supervisor. Safe
  // beside hosts that are making folders: these lock a folder before they use it, and make another where they cannot.
  static void SweepAbandoned(const std::string& parent);

  PrivateFolder(PrivateFolder&&) = default;
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder();

  const std::string& path() const { return path_; }
  int descriptor() const { return folder_.get(); }

  // Removes the folder now, and says what could not be removed. No process of the run may live any more. A program can make so
  // many folders that removing them takes minutes: after `patience` the rest stays, and the error is DeadlineExceeded.
  absl::Status Remove(absl::Duration patience = absl::InfiniteDuration());

  // Leaves what is on disk to another process.
  void Disown() { folder_.Reset(); }

 private:
  PrivateFolder(std::string path, Descriptor folder) : path_(std::move(path)), folder_(std::move(folder)) {}

  std::string path_;
  Descriptor folder_;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_SANDBOX_PRIVATE_FOLDER_H_
