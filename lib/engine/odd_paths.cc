#include "lib/engine/odd_paths.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/text.h"

namespace conclave {

bool HasOddPaths(const Sources& sources) {
  return std::any_of(sources.begin(), sources.end(),
                     [](const v1::DatasetSource& source) { return !IsValidUtf8(source.path()); });
}

absl::Status OpenOddPaths(Sources* sources, std::vector<Descriptor>* held) {
  for (int i = 0; i < sources->size(); ++i) {
    v1::DatasetSource& source = (*sources)[i];
    if (IsValidUtf8(source.path())) continue;
    const std::string place = absl::StrCat("datasets[", i, "].path: \"", Excerpt(source.path(), 200), "\"");
    if (source.has_descriptor()) {
      return absl::InvalidArgumentError(absl::StrCat("datasets[", i, "]: give exactly one of path and descriptor"));
    }
    if (source.path().find('\0') != std::string::npos)
      return absl::InvalidArgumentError(absl::StrCat(place, " holds a NUL byte"));
    Descriptor file(::open(source.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!file.valid()) return ErrnoStatus(errno, absl::StrCat(place, ": cannot open it"));
    struct stat status = {};
    if (::fstat(file.get(), &status) != 0) return ErrnoStatus(errno, place);
    // What SourceFile refuses under a path, but not behind a descriptor.
    if (S_ISDIR(status.st_mode)) {
      return absl::InvalidArgumentError(absl::StrCat(place, " is a folder: give one of its files"));
    }
    if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) {
      return absl::InvalidArgumentError(absl::StrCat(place, " is a device, not a regular file: give a file"));
    }
    if (source.name().empty()) source.set_name(RepairUtf8(source.path().substr(source.path().rfind('/') + 1)));
    source.clear_path();
    source.set_descriptor(file.get());
    held->push_back(std::move(file));
  }
  return absl::OkStatus();
}

}  // namespace conclave
