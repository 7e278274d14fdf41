#include "lib/guest/protocol/guest_protocol.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/descriptor.h"
#include "lib/base/release.h"
#include "lib/base/text.h"

namespace conclave::guest {
namespace {

constexpr size_t kRequestBytes = 64u << 20;
constexpr size_t kMessageBytes = 4096;
constexpr int kMostDescriptors = 4096;

// Namespaces by what /proc/self/ns calls them, and the layers that they are.
constexpr std::pair<const char*, const char*> kNamespaces[] = {{"user", "user_namespace"},
                                                               {"pid", "process_namespace"},
                                                               {"ipc", "ipc_namespace"},
                                                               {"mnt", "mount_namespace"},
                                                               {"net", "network_namespace"}};

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

// Trials that need /proc say nothing where it is hidden.
std::optional<Json> TryCapabilities() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.compare(0, 7, "CapEff:") != 0) continue;
    const bool none = line.find_first_not_of("0\t ", 7) == std::string::npos;
    return Canary("no_capabilities", none, line);
  }
  return std::nullopt;
}

Json TryDescriptors(int first_free) {
  rlimit limit = {};
  const int most = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max < kMostDescriptors
                       ? static_cast<int>(limit.rlim_max)
                       : kMostDescriptors;
  for (int number = first_free; number < most; ++number) {
    if (::fcntl(number, F_GETFD) < 0) continue;
    return Canary("descriptors_closed", false, absl::StrCat("descriptor ", number, " is open"));
  }
  return Canary("descriptors_closed", true, absl::StrCat("none open from ", first_free, " on"));
}

Json TryEnvironment() {
  for (const char* name : {"PATH", "USER", "SHELL", "SSH_AUTH_SOCK", "LD_PRELOAD", "LD_LIBRARY_PATH"}) {
    if (::getenv(name) != nullptr) return Canary("environment_clean", false, absl::StrCat(name, " is set"));
  }
  return Canary("environment_clean", true, "no variable of the host is set");
}

Json TrySocket() {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) return Canary("syscall_filter", true, absl::StrCat("socket(AF_INET): ", std::strerror(errno)));
  ::close(made);
  return Canary("syscall_filter", false, "socket(AF_INET) succeeded");
}

Json TryFolder(const std::string& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return Canary("path_filter", true, absl::StrCat("opening ", path, ": ", std::strerror(errno)));
  ::close(folder);
  return Canary("path_filter", false, absl::StrCat("opening ", path, " succeeded"));
}

// Empty where /proc is hidden.
std::string OwnNamespace(const std::string& kind) {
  char mark[64];
  const ssize_t size = ::readlink(absl::StrCat("/proc/self/ns/", kind).c_str(), mark, sizeof mark);
  return size < 0 ? "" : std::string(mark, static_cast<size_t>(size));
}

// Whether it is the run's own; nothing where one of the two cannot be told.
std::optional<Json> TryNamespace(const char* kind, const char* layer, const Json* theirs) {
  const std::string own = OwnNamespace(kind);
  if (own.empty() || theirs == nullptr || !theirs->is_string()) return std::nullopt;
  const bool shared = own == theirs->string();
  return Canary(layer, !shared, absl::StrCat(own, shared ? ", the host's" : ", not the host's"));
}

Json TrySignal(int64_t host) {
  if (::kill(static_cast<pid_t>(host), 0) == 0) return Canary("signal_scope", false, "a signal could be sent to the host");
  return Canary("signal_scope", true, absl::StrCat("kill of the host: ", std::strerror(errno)));
}

void TryNamed(const Json& granted, std::vector<Json>* found) {
  if (const Json* refused = granted.Find("refused"); refused != nullptr && refused->is_array()) {
    for (const Json& path : refused->items()) {
      if (path.is_string()) found->push_back(TryFolder(path.string()));
    }
  }
  const Json* namespaces = granted.Find("namespaces");
  if (namespaces == nullptr || !namespaces->is_object()) return;
  bool same_processes = false;
  for (const auto& [kind, layer] : kNamespaces) {
    std::optional<Json> canary = TryNamespace(kind, layer, namespaces->Find(kind));
    if (!canary) continue;
    if (std::string_view(kind) == "pid") same_processes = !canary->Find("achieved")->BooleanOr(true);
    found->push_back(*std::move(canary));
  }
  // In a process namespace of the run's own the host's number is that of another process, or of none.
  const Json* host = granted.Find("process");
  if (same_processes && host != nullptr && host->IntegerOr(0) > 0) found->push_back(TrySignal(host->IntegerOr(0)));
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

std::vector<Json> TryIsolation(int first_free, const Json* granted) {
  std::vector<Json> found = {TryBecomingRoot(), TryNewPrivileges(), TryDescriptors(first_free), TryEnvironment(), TrySocket()};
  if (std::optional<Json> capabilities = TryCapabilities()) found.push_back(*std::move(capabilities));
  if (granted != nullptr && granted->is_object()) TryNamed(*granted, &found);
  return found;
}

}  // namespace conclave::guest
