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
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace conclave {
namespace {

constexpr char kProbe[] = "conclave-ingest";

bool HoldsGuests(const std::string& folder) { return ::access(absl::StrCat(folder, "/", kProbe).c_str(), R_OK) == 0; }

absl::StatusOr<GuestFolder> Named(const std::string& folder, const std::string& origin) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(folder, error);
  if (error) {
    return absl::FailedPreconditionError(
        absl::StrCat(origin, ": the working folder, which ", folder, " is relative to, cannot be told: ", error.message()));
  }
  GuestFolder found{path.lexically_normal().string(), origin};
  if (HoldsGuests(found.path)) return found;
  return absl::FailedPreconditionError(absl::StrCat(origin, " names ", found.path, ", a folder without guest programs (",
                                                    kProbe, ", ...): name the folder libexec/conclave of ",
                                                    "an installation, or leave it out where Conclave is installed whole"));
}

}  // namespace

// The loader's own tables may hold a relative path, which a host that has changed its folder since can no longer use; the
// kernel's table does not.
absl::StatusOr<std::string> LoadedFrom() {
  const auto here = reinterpret_cast<uintptr_t>(&FindGuestFolder);
  errno = 0;
  std::ifstream maps("/proc/self/maps");
  const int error = maps.is_open() ? ENOENT : errno;
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    int path = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &begin, &end, &path) < 2) continue;
    if (here >= begin && here < end && path > 0) return line.substr(static_cast<size_t>(path));
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("where Conclave is installed cannot be told: /proc/self/maps: ", std::strerror(error)));
}

absl::StatusOr<GuestFolder> FindGuestFolder(const std::string& given) {
  if (!given.empty()) return Named(given, "the option guest_folder");
  if (const char* named = ::secure_getenv("CONCLAVE_LIBEXEC"); named != nullptr && *named != '\0') {
    return Named(named, "CONCLAVE_LIBEXEC");
  }
  const absl::StatusOr<std::string> file = LoadedFrom();
  if (!file.ok()) {
    return absl::Status(file.status().code(), absl::StrCat(std::string(file.status().message()),
                                                           ": set CONCLAVE_LIBEXEC to the folder that holds ", kProbe));
  }
  std::vector<std::string> places;
  std::filesystem::path folder = std::filesystem::path(*file).parent_path();
  for (int up = 0; up < 3 && !folder.empty(); ++up, folder = folder.parent_path()) {
    places.push_back((folder / "libexec/conclave").string());
    if (HoldsGuests(places.back())) return GuestFolder{places.back(), absl::StrCat("near the library ", *file)};
  }
  return absl::FailedPreconditionError(absl::StrCat("the guest programs (", kProbe, ", ...) are not in ",
                                                    absl::StrJoin(places, ", "),
                                                    ": install Conclave whole, or set CONCLAVE_LIBEXEC to their folder"));
}

std::string FindSupervisor(const std::string& guest_folder) {
  std::string path = absl::StrCat(guest_folder, "/conclave-supervisor");
  return ::access(path.c_str(), F_OK) == 0 ? path : "";
}

}  // namespace conclave
