#include "lib/sandbox/policy.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "lib/base/text.h"
#include "lib/sandbox/wire.h"

namespace conclave {
namespace {

constexpr int64_t kGigabyte = 1LL << 30;

struct Range {
  const char* field;
  int64_t value;
  LimitRange allowed;
};

absl::Status CheckRange(const Range& range) {
  if (range.value >= range.allowed.least && range.value <= range.allowed.most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(range.field, " is ", range.value, "; it must be from ", range.allowed.least, " to ", range.allowed.most));
}

absl::Status CheckDuration(const char* field, absl::Duration value) {
  if (value >= absl::Milliseconds(1) && value <= kLongestRun) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " is ", absl::FormatDuration(value), "; it must be from 1ms to ", absl::FormatDuration(kLongestRun)));
}

// The supervisor has room for no more.
static_assert(kProcessesRange.most == CONCLAVE_MAX_PROCESSES && kThreadsRange.most == CONCLAVE_MAX_THREADS);

absl::Status CheckLimits(const Limits& limits) {
  if (absl::Status status = CheckDuration("limits.wall", limits.wall); !status.ok()) return status;
  if (absl::Status status = CheckDuration("limits.cpu", limits.cpu); !status.ok()) return status;
  const Range ranges[] = {
      {"limits.memory_bytes", limits.memory_bytes, kMemoryBytesRange},
      {"limits.output_bytes", limits.output_bytes, kOutputBytesRange},
      {"limits.disk_bytes", limits.disk_bytes, kDiskBytesRange},
      {"limits.disk_inodes", limits.disk_inodes, kDiskInodesRange},
      {"limits.processes", limits.processes, kProcessesRange},
      {"limits.threads", limits.threads, kThreadsRange},
      {"limits.descriptors", limits.descriptors, kDescriptorsRange},
  };
  for (const Range& range : ranges) {
    if (absl::Status status = CheckRange(range); !status.ok()) return status;
  }
  if (limits.threads < limits.processes) {
    return absl::InvalidArgumentError(absl::StrCat("limits.threads is ", limits.threads, " but limits.processes is ",
                                                   limits.processes, "; every process has at least one thread"));
  }
  return absl::OkStatus();
}

absl::Status CheckStrings(const char* field, const std::vector<std::string>& strings) {
  constexpr size_t kMost = CONCLAVE_MAX_STRINGS - 2;  // HOME and TMPDIR are added
  if (strings.size() > kMost) {
    return absl::InvalidArgumentError(
        absl::StrCat(field, " has ", strings.size(), " entries; at most ", kMost, " are allowed"));
  }
  for (size_t i = 0; i < strings.size(); ++i) {
    if (strings[i].find('\0') == std::string::npos) continue;
    return absl::InvalidArgumentError(absl::StrCat(field, "[", i, "] contains a NUL byte: \"", Excerpt(strings[i], 60), "\""));
  }
  return absl::OkStatus();
}

absl::Status CheckArguments(const SandboxRequest& request) {
  if (request.arguments.empty()) return absl::InvalidArgumentError("arguments is empty; arguments[0] names the program");
  if (absl::Status status = CheckStrings("arguments", request.arguments); !status.ok()) return status;
  if (request.executable < 0 && (request.arguments[0].empty() || request.arguments[0][0] != '/')) {
    return absl::InvalidArgumentError(absl::StrCat("arguments[0] is \"", Excerpt(request.arguments[0], 200),
                                                   "\"; it must be an absolute path, or `executable` an open descriptor"));
  }
  return absl::OkStatus();
}

absl::Status CheckEnvironment(const std::vector<std::string>& environment) {
  if (absl::Status status = CheckStrings("environment", environment); !status.ok()) return status;
  std::set<std::string_view> names;
  for (size_t i = 0; i < environment.size(); ++i) {
    const std::string_view entry = environment[i];
    const size_t equals = entry.find('=');
    const std::string_view name = entry.substr(0, equals);
    std::string problem;
    if (equals == std::string_view::npos || equals == 0) {
      problem = "is not of the form NAME=value";
    } else if (name == "HOME" || name == "TMPDIR") {
      problem = "cannot be given: both are the run's private folder";
    } else if (!names.insert(name).second) {
      problem = "gives a variable for the second time";
    }
    if (problem.empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat("environment[", i, "] ", problem, ": \"", Excerpt(entry, 60), "\""));
  }
  return absl::OkStatus();
}

bool IsOpen(int fd) { return fd >= 0 && ::fcntl(fd, F_GETFD) >= 0; }

absl::Status CheckDescriptors(const SandboxRequest& request) {
  if (request.executable >= 0 && !IsOpen(request.executable)) {
    return absl::InvalidArgumentError(absl::StrCat("executable is ", request.executable, ", which is not an open descriptor"));
  }
  if (absl::Status status = CheckRange({"result_bytes", request.result_bytes, {0, kGigabyte}}); !status.ok()) return status;
  std::set<int> taken = {1, 2};
  const int64_t last = request.limits.descriptors - 1;
  if (request.result_bytes > 0) {
    if (absl::Status status = CheckRange({"result_descriptor", request.result_descriptor, {3, last}}); !status.ok())
      return status;
    taken.insert(request.result_descriptor);
  }
  // Room for standard streams, result and the pipe that is at 0 when none is granted.
  if (request.descriptors.size() > CONCLAVE_MAX_GRANTS - 4) {
    return absl::InvalidArgumentError(absl::StrCat("descriptors has ", request.descriptors.size(), " entries; at most ",
                                                   CONCLAVE_MAX_GRANTS - 4, " are allowed"));
  }
  for (size_t i = 0; i < request.descriptors.size(); ++i) {
    const DescriptorGrant& grant = request.descriptors[i];
    const std::string field = absl::StrCat("descriptors[", i, "].");
    if (!IsOpen(grant.host)) {
      return absl::InvalidArgumentError(absl::StrCat(field, "host is ", grant.host, ", which is not an open descriptor"));
    }
    if (grant.guest < 0 || grant.guest > last) {
      return absl::InvalidArgumentError(
          absl::StrCat(field, "guest is ", grant.guest, "; it must be from 0 to ", last, " (limits.descriptors)"));
    }
    if (!taken.insert(grant.guest).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(field, "guest is ", grant.guest, ", which is taken: ",
                       grant.guest == 1 || grant.guest == 2 ? "1 and 2 are captured" : "each number can be given once"));
    }
  }
  return absl::OkStatus();
}

void AppendString(std::string_view string, std::string* out) {
  out->append(string);
  out->push_back('\0');
}

absl::Status CheckReadable(const std::vector<std::string>& paths) {
  constexpr size_t kMost = CONCLAVE_MAX_READABLE / 2;  // the rest is for the system's
  if (paths.size() > kMost) {
    return absl::InvalidArgumentError(
        absl::StrCat("readable has ", paths.size(), " entries; at most ", kMost, " are allowed: name folders"));
  }
  for (size_t i = 0; i < paths.size(); ++i) {
    const std::string& path = paths[i];
    // A path that climbs would be shown at another place than it is.
    const bool plain = path.size() > 1 && path[0] == '/' && path.find('\0') == std::string::npos &&
                       absl::StrCat(path, "/").find("/../") == std::string::npos;
    if (plain) continue;
    return absl::InvalidArgumentError(absl::StrCat("readable[", i, "] is \"", Excerpt(path, 200),
                                                   "\"; it must be an absolute path of something below /, without \"..\""));
  }
  return absl::OkStatus();
}

}  // namespace

ReadablePaths SystemPaths() {
  // Folders of /etc that name no user and no secret. Python's start-up files lie in /etc on Debian, and some libraries are
  // chosen through links in /etc/alternatives.
  std::vector<std::string> candidates = {"/usr",
                                         "/bin",
                                         "/sbin",
                                         "/lib",
                                         "/lib32",
                                         "/lib64",
                                         "/libx32",
                                         "/nix/store",
                                         "/gnu/store",
                                         "/etc/ld.so.cache",
                                         "/etc/alternatives",
                                         "/etc/localtime",
                                         "/etc/timezone",
                                         "/etc/os-release",
                                         "/etc/fonts",
                                         "/etc/matplotlibrc",
                                         "/etc/mime.types",
                                         "/sys/devices/system/cpu"};
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/etc", error), end; !error && entry != end; entry.increment(error)) {
    if (candidates.size() == CONCLAVE_MAX_READABLE / 2) break;
    if (entry->path().filename().string().starts_with("python")) candidates.push_back(entry->path().string());
  }
  ReadablePaths readable;
  for (const std::string& path : candidates) {
    const std::filesystem::file_status status = std::filesystem::symlink_status(path, error);
    if (error || !std::filesystem::exists(status)) continue;
    const bool into_usr = std::filesystem::is_symlink(status) &&
                          std::filesystem::weakly_canonical(path, error).string().starts_with("/usr/") && !error;
    (into_usr ? readable.links : readable.paths).push_back(path);
  }
  return readable;
}

absl::Status CheckRequest(const SandboxRequest& request) {
  if (absl::Status status = CheckLimits(request.limits); !status.ok()) return status;
  if (absl::Status status = CheckArguments(request); !status.ok()) return status;
  if (absl::Status status = CheckEnvironment(request.environment); !status.ok()) return status;
  if (absl::Status status = CheckDescriptors(request); !status.ok()) return status;
  if (absl::Status status = CheckReadable(request.readable); !status.ok()) return status;
  if (absl::Status status = CheckRange({"artifacts", request.artifacts, {0, 1000}}); !status.ok()) return status;
  size_t text = 0;
  for (const std::string& argument : request.arguments) text += argument.size() + 1;
  for (const std::string& variable : request.environment) text += variable.size() + 1;
  for (const std::string& path : request.readable) text += path.size() + 1;
  constexpr size_t kMost = CONCLAVE_MAX_TEXT - 32768;  // the rest is for the folder's path, three times, and the system's paths
  if (text > kMost) {
    return absl::InvalidArgumentError(absl::StrCat("arguments, environment and readable have ", text,
                                                   " bytes together; at most ", kMost,
                                                   " are allowed: pass more through a descriptor"));
  }
  return absl::OkStatus();
}

int64_t AddressSpace(const Limits& limits, int64_t mapped_bytes) {
  return std::max(2 * kGigabyte, 4 * limits.memory_bytes) + mapped_bytes;
}

std::string EncodePolicy(const SandboxRequest& request, const PolicyContext& context) {
  const Limits& limits = request.limits;
  std::string text;
  AppendString(context.folder, &text);
  for (const std::string& argument : request.arguments) AppendString(argument, &text);
  for (const std::string& variable : request.environment) AppendString(variable, &text);
  AppendString(absl::StrCat("HOME=", std::string(context.folder)), &text);
  AppendString(absl::StrCat("TMPDIR=", std::string(context.folder)), &text);
  for (const std::string& path : context.readable.links) AppendString(path, &text);
  for (const std::string& path : context.readable.paths) AppendString(path, &text);

  conclave_policy policy;
  std::memset(&policy, 0, sizeof policy);
  policy.magic = CONCLAVE_WIRE_MAGIC;
  policy.version = CONCLAVE_WIRE_VERSION;
  policy.size = sizeof policy;
  policy.host_pid = ::getpid();
  policy.wall_ns = absl::ToInt64Nanoseconds(limits.wall);
  policy.cpu_ns = absl::ToInt64Nanoseconds(limits.cpu);
  if (request.deadline != absl::InfiniteFuture()) {
    // A deadline in the past has been dealt with; far ones are cut to where the arithmetic still holds.
    const absl::Duration left = std::clamp(request.deadline - context.now, absl::Nanoseconds(1), absl::Hours(24 * 365));
    policy.deadline_ns = context.monotonic_ns + absl::ToInt64Nanoseconds(left);
  }
  policy.memory_bytes = limits.memory_bytes;
  // Private writable mappings of lent files count against RLIMIT_DATA though their untouched pages are not the run's memory.
  policy.data_bytes = limits.memory_bytes + context.mapped_bytes;
  policy.address_bytes = AddressSpace(limits, context.mapped_bytes);
  policy.disk_bytes = limits.disk_bytes;
  policy.disk_inodes = limits.disk_inodes;
  policy.processes = limits.processes;
  policy.threads = limits.threads;
  policy.descriptors = limits.descriptors;
  policy.required_level = context.isolation.required;
  policy.preferred_level = context.isolation.preferred;
  policy.has_executable = request.executable >= 0 ? 1 : 0;
  policy.grants = static_cast<uint32_t>(context.targets.size());
  policy.arguments = static_cast<uint32_t>(request.arguments.size());
  policy.environment = static_cast<uint32_t>(request.environment.size() + 2);
  policy.links = static_cast<uint32_t>(context.readable.links.size());
  policy.readable = policy.links + static_cast<uint32_t>(context.readable.paths.size());
  policy.text_bytes = static_cast<uint32_t>(text.size());

  std::string wire(reinterpret_cast<const char*>(&policy), sizeof policy);
  for (const int target : context.targets) {
    const int32_t number = target;
    wire.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  return wire + text;
}

}  // namespace conclave
