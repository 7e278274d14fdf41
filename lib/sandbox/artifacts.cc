#include "lib/sandbox/artifacts.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/descriptor.h"
#include "lib/base/text.h"
#include "lib/sandbox/outcome.h"

namespace conclave {
namespace {

constexpr int kDeepest = 8;              // folders within folders
constexpr size_t kMostEntries = 20'000;  // looked at in all
constexpr size_t kMostRefusals = 20;

// Opens below `folder` without following any link, out of the folder or within it, and without waiting on what it finds.
int OpenBeneath(int folder, const std::string& name, uint64_t flags) {
  open_how how = {};
  how.flags = flags | O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  return static_cast<int>(::syscall(SYS_openat2, folder, name.c_str(), &how, sizeof how));
}

class Collector {
 public:
  Collector(int folder, const ArtifactBounds& bounds) : folder_(folder), bounds_(bounds) {
    struct stat status = {};
    if (::fstat(folder, &status) == 0) owner_ = status.st_uid;
  }

  CollectedArtifacts Run() {
    std::vector<std::string> names;
    List(".", "", 0, &names);
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) Take(name);
    if (more_refused_ > 0) out_.refused.push_back(absl::StrCat("and ", more_refused_, " more"));
    return std::move(out_);
  }

 private:
  void Refuse(const std::string& name, const std::string& why) {
    if (out_.refused.size() < kMostRefusals) {
      out_.refused.push_back(absl::StrCat(Excerpt(name, 120), ": ", why));
    } else {
      ++more_refused_;
    }
  }

  // Appends the paths of everything that is no folder.
  void List(const std::string& path, const std::string& prefix, int depth, std::vector<std::string>* names) {
    const int fd = OpenBeneath(folder_, path, O_DIRECTORY);
    const int error = errno;
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(fd < 0 ? nullptr : ::fdopendir(fd), ::closedir);
    if (stream == nullptr) {
      Refuse(prefix, absl::StrCat("folder cannot be read: ", std::strerror(error)));
      if (fd >= 0) ::close(fd);
      return;
    }
    for (const dirent* entry = ::readdir(stream.get()); entry != nullptr; entry = ::readdir(stream.get())) {
      if (entry->d_name[0] == '.') continue;
      const std::string name = prefix + entry->d_name;
      if (++entries_ > kMostEntries) {
        if (entries_ == kMostEntries + 1) Refuse(name, absl::StrCat("only ", kMostEntries, " entries are looked at"));
        return;
      }
      struct stat status = {};
      if (::fstatat(::dirfd(stream.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (!S_ISDIR(status.st_mode)) {
        names->push_back(name);
      } else if (depth == kDeepest) {
        Refuse(name, absl::StrCat("folder lies deeper than ", kDeepest, " levels"));
      } else {
        List(name, name + "/", depth + 1, names);
      }
    }
  }

  void Take(const std::string& name) {
    if (!IsValidUtf8(name)) return Refuse(name, "the name is not UTF-8");
    const Descriptor file(OpenBeneath(folder_, name, 0));
    if (!file.valid()) return Refuse(name, errno == ELOOP ? "is a symbolic link" : std::strerror(errno));
    struct stat status = {};
    if (::fstat(file.get(), &status) != 0) return Refuse(name, std::strerror(errno));
    if (!S_ISREG(status.st_mode)) return Refuse(name, "is not a regular file");
    if (status.st_nlink != 1) return Refuse(name, absl::StrCat("has ", status.st_nlink, " names (hard links)"));
    if (status.st_uid != owner_) return Refuse(name, "does not belong to the run");
    if (status.st_size > bounds_.file_bytes) {
      return Refuse(name,
                    absl::StrCat("has ", BytesText(status.st_size), "; at most ", BytesText(bounds_.file_bytes), " are kept"));
    }
    if (total_ + status.st_size > bounds_.total_bytes) {
      return Refuse(name, absl::StrCat("would bring all files over ", BytesText(bounds_.total_bytes)));
    }
    if (static_cast<int32_t>(out_.kept.size()) >= bounds_.count) {
      return Refuse(name, absl::StrCat("only ", bounds_.count, " files are kept"));
    }
    absl::StatusOr<std::string> content = ReadAll(file.get(), static_cast<size_t>(bounds_.file_bytes));
    if (!content.ok()) return Refuse(name, std::string(content.status().message()));
    total_ += static_cast<int64_t>(content->size());
    out_.kept.push_back({name, *std::move(content)});
  }

  const int folder_;
  const ArtifactBounds bounds_;
  uid_t owner_ = static_cast<uid_t>(-1);
  CollectedArtifacts out_;
  int64_t total_ = 0;
  size_t entries_ = 0;
  size_t more_refused_ = 0;
};

}  // namespace

CollectedArtifacts CollectArtifacts(int folder, const ArtifactBounds& bounds) { return Collector(folder, bounds).Run(); }

}  // namespace conclave
