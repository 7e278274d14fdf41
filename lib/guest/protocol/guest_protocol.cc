#include "lib/guest/protocol/guest_protocol.h"

#include <dirent.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "lib/base/descriptor.h"
#include "lib/base/release.h"
#include "lib/base/text.h"

namespace conclave::guest {
namespace {

constexpr size_t kRequestBytes = 64u << 20;
constexpr size_t kMessageBytes = 4096;

Json Canary(const std::string& name, bool achieved, const std::string& detail) {
  return Json::Object({{"frame", Json::String("canary")},
                       {"name", Json::String(name)},
                       {"achieved", Json::Boolean(achieved)},
                       {"detail", Json::String(detail)}});
}

Json TryBecomingRoot() {
  if (::geteuid() == 0) return Canary("unprivileged_uid", false, "the program runs as root");
  if (::setuid(0) == 0) return Canary("unprivileged_uid", false, "setuid(0) succeeded");
  return Canary("unprivileged_uid", true, absl::StrCat("setuid(0): ", std::strerror(errno)));
}

Json TryNewPrivileges() {
  const int set = ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
  return Canary("no_new_privs", set == 1, absl::StrCat("PR_GET_NO_NEW_PRIVS: ", set));
}

Json TryCapabilities() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.compare(0, 7, "CapEff:") != 0) continue;
    const bool none = line.find_first_not_of("0\t ", 7) == std::string::npos;
    return Canary("no_capabilities", none, line);
  }
  return Canary("no_capabilities", false, "/proc/self/status could not be read");
}

Json TryDescriptors(int first_free) {
  DIR* folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return Canary("descriptors_closed", false, "/proc/self/fd could not be read");
  const int own = ::dirfd(folder);
  int extra = -1;
  while (const dirent* entry = ::readdir(folder)) {
    int number = -1;
    if (entry->d_name[0] != '.') number = std::atoi(entry->d_name);
    if (number >= first_free && number != own) extra = number;
  }
  ::closedir(folder);
  if (extra >= 0) return Canary("descriptors_closed", false, absl::StrCat("descriptor ", extra, " is open"));
  return Canary("descriptors_closed", true, absl::StrCat("none open from ", first_free, " on"));
}

Json TryEnvironment() {
  for (const char* name : {"PATH", "USER", "SHELL", "SSH_AUTH_SOCK", "LD_PRELOAD", "LD_LIBRARY_PATH"}) {
    if (::getenv(name) != nullptr) return Canary("environment_clean", false, absl::StrCat(name, " is set"));
  }
  return Canary("environment_clean", true, "no variable of the host is set");
}

}  // namespace

absl::Status WriteFrame(int fd, const Json& frame) {
  const std::string text = frame.Text();
  const auto size = static_cast<uint32_t>(text.size());
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(size >> shift & 0xff));
  return WriteAll(fd, bytes + text);
}

Json EngineFrame(const std::string& name) {
  return Json::Object({{"frame", Json::String("engine")}, {"name", Json::String(name)}, {"release", Json::String(kRelease)}});
}

Json ErrorFrame(const std::string& type, const std::string& message, bool repairable) {
  std::string text = RepairUtf8(message);
  if (text.size() > kMessageBytes) text = RepairUtf8(text.substr(0, kMessageBytes));
  return Json::Object({{"frame", Json::String("error")},
                       {"type", Json::String(type)},
                       {"message", Json::String(std::move(text))},
                       {"repairable", Json::Boolean(repairable)}});
}

absl::StatusOr<Json> ReadRequest(int fd) {
  absl::StatusOr<std::string> text = ReadAll(fd, kRequestBytes);
  if (!text.ok()) return text.status();
  absl::StatusOr<Json> request = ParseJson(*text);
  if (request.ok() && !request->is_object()) return absl::InvalidArgumentError("the request is no object");
  return request;
}

std::vector<Json> TryIsolation(int first_free) {
  return {TryBecomingRoot(), TryNewPrivileges(), TryCapabilities(), TryDescriptors(first_free), TryEnvironment()};
}

}  // namespace conclave::guest
