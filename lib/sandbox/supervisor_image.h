// SupervisorImage: the supervisor program, ready to be started: a file when one is named, else the copy inside this library,
// held in sealed memory so that nothing on disk has to be found or trusted.
//
// Thread safety: const functions may run concurrently.
// Ownership: owns the open image.
#ifndef CONCLAVE_LIB_SANDBOX_SUPERVISOR_IMAGE_H_
#define CONCLAVE_LIB_SANDBOX_SUPERVISOR_IMAGE_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "lib/base/descriptor.h"

namespace conclave {

class SupervisorImage {
 public:
  // An empty `path` takes the embedded copy.
  static absl::StatusOr<SupervisorImage> Open(const std::string& path);

  int descriptor() const { return image_.get(); }
  // "embedded", or the path of the file.
  const std::string& origin() const { return origin_; }

 private:
  SupervisorImage(Descriptor image, std::string origin) : image_(std::move(image)), origin_(std::move(origin)) {}

  Descriptor image_;
  std::string origin_;
};

// The bytes of the program, as built.
std::string_view EmbeddedSupervisor();

}  // namespace conclave

#endif  // CONCLAVE_LIB_SANDBOX_SUPERVISOR_IMAGE_H_
