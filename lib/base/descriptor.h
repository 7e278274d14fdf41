// Descriptor: an owned file descriptor, and whole-length reads and writes on it.
//
// Thread safety: value type; not shared between threads without care.
// Ownership: closes on destruction.
#ifndef CONCLAVE_LIB_BASE_DESCRIPTOR_H_
#define CONCLAVE_LIB_BASE_DESCRIPTOR_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace conclave {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { Reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      Reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }
  void Reset();

 private:
  int fd_ = -1;
};

// An error number as a Status: `what` says what failed and on which thing.
absl::Status ErrnoStatus(int error, std::string_view what);

// Writes all of `bytes`, continuing after short writes and EINTR.
absl::Status WriteAll(int fd, std::string_view bytes);

// Reads from the current position to the end; ResourceExhausted beyond `limit` bytes.
absl::StatusOr<std::string> ReadAll(int fd, size_t limit);

// A sealed anonymous file holding `bytes`, positioned at its start, close-on-exec. `name` shows in /proc only. Where the host's
// filter forbids files in memory it is an UnnamedFile.
absl::StatusOr<Descriptor> SealedMemory(std::string_view name, std::string_view bytes);

// Whether a system call is refused to this process as such, by a filter, a setting of the machine or an older kernel.
bool IsForbidden(int error);

// A file without a name below /tmp or /dev/shm that holds `bytes`, open for reading only and close-on-exec; `mode` as for
// chmod.
absl::StatusOr<Descriptor> UnnamedFile(std::string_view bytes, unsigned mode);

}  // namespace conclave

#endif  // CONCLAVE_LIB_BASE_DESCRIPTOR_H_
