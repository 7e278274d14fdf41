#include "lib/engine/guest_folder.h"

#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace conclave {
namespace {

constexpr char kProbe[] = "conclave-ingest";

bool HoldsGuests(const std::string& folder) { return ::access(absl::StrCat(folder, "/", kProbe).c_str(), R_OK) == 0; }

// The absolute path of the program or library this code is in. The loader's own tables may hold a relative path, which a host
// that has changed its folder since can no longer use; the kernel's table does not.
std::string OwnFile(int* error) {
  const auto here = reinterpret_cast<uintptr_t>(&FindGuestFolder);
  errno = 0;
  std::ifstream maps("/proc/self/maps");
  *error = maps.is_open() ? ENOENT : errno;
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    int path = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &begin, &end, &path) < 2) continue;
    if (here >= begin && here < end && path > 0) return line.substr(static_cast<size_t>(path));
  }
  return "";
}

}  // namespace

absl::StatusOr<std::string> FindGuestFolder(const std::string& given) {
  if (!given.empty()) {
    if (HoldsGuests(given)) return given;
    return absl::FailedPreconditionError(absl::StrCat("guest folder ", given, " holds no ", kProbe));
  }
  std::vector<std::string> places;
  int error = 0;
  if (const char* named = ::secure_getenv("CONCLAVE_LIBEXEC"); named != nullptr && *named != '\0') {
    places.emplace_back(named);
  } else {
    std::filesystem::path folder = std::filesystem::path(OwnFile(&error)).parent_path();
    for (int up = 0; up < 3 && !folder.empty(); ++up, folder = folder.parent_path()) {
      places.push_back((folder / "libexec/conclave").string());
    }
  }
  for (const std::string& place : places) {
    if (HoldsGuests(place)) return place;
  }
  if (places.empty()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("where Conclave is installed cannot be told: /proc/self/maps: ", std::strerror(error),
                     ": set CONCLAVE_LIBEXEC to the folder that holds ", kProbe));
  }
  return absl::FailedPreconditionError(absl::StrCat("the guest programs (", kProbe, ", ...) are not in ",
                                                    absl::StrJoin(places, ", "),
                                                    ": install Conclave whole, or set CONCLAVE_LIBEXEC to their folder"));
}

}  // namespace conclave
