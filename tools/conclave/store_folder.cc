#include "tools/conclave/store_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/descriptor.h"
#include "lib/base/text.h"

namespace conclave::cli {

std::string DefaultStoreFolder(const std::function<std::optional<std::string>(const char*)>& environment) {
  if (const auto store = environment("CONCLAVE_STORE"); store && !store->empty()) return *store;
  if (const auto shared = environment("XDG_DATA_HOME"); shared && shared->starts_with('/')) return *shared + "/conclave";
  if (const auto home = environment("HOME"); home && home->starts_with('/')) return *home + "/.local/share/conclave";
  return "";
}

absl::Status PrepareStoreFolder(const std::string& folder) {
  const std::string what = absl::StrCat("store folder \"", Excerpt(folder, 200), "\"");
  for (size_t end = folder.find('/', 1); end != std::string::npos; end = folder.find('/', end + 1)) {
    // Where this fails for another reason than being there, the last step fails too and tells it.
    [[maybe_unused]] const int ignored = ::mkdir(folder.substr(0, end).c_str(), 0700);
  }
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return ErrnoStatus(errno, "cannot create " + what);
  struct stat found;
  if (::stat(folder.c_str(), &found) != 0) return ErrnoStatus(errno, "cannot use " + what);
  if (!S_ISDIR(found.st_mode)) return ErrnoStatus(ENOTDIR, "cannot use " + what);
  if (found.st_uid != ::geteuid()) return absl::PermissionDeniedError(absl::StrCat(what, " belongs to another user"));
  if ((found.st_mode & 0077) != 0) {
    return absl::PermissionDeniedError(
        absl::StrFormat("%s has mode %03o, so others may enter it (chmod 700 keeps them out)", what, found.st_mode & 0777));
  }
  if (::access(folder.c_str(), R_OK | W_OK | X_OK) != 0) return ErrnoStatus(errno, "cannot write to " + what);
  return absl::OkStatus();
}

}  // namespace conclave::cli
