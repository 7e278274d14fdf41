#include "lib/sandbox/isolation_facts.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/descriptor.h"
#include "lib/base/text.h"

namespace conclave {
namespace {

constexpr size_t kFactBytes = 1 << 20;

// The kind of namespace, as in /proc/sys/user/max_KIND_namespaces, that a layer is.
struct NamespaceLayer {
  std::string_view layer;
  const char* kind;
  const char* words;
  const char* option;  // of the kernel's configuration
};
constexpr NamespaceLayer kNamespaceLayers[] = {
    {"user_namespace", "user", "user namespaces", "CONFIG_USER_NS"},
    {"process_namespace", "pid", "process namespaces", "CONFIG_PID_NS"},
    {"ipc_namespace", "ipc", "IPC namespaces", "CONFIG_IPC_NS"},
    {"mount_namespace", "mnt", "mount namespaces", "CONFIG_NAMESPACES"},
    {"network_namespace", "net", "network namespaces", "CONFIG_NET_NS"},
};

// Mounts in /proc that hide nothing: they lie on folders that the kernel keeps empty for them.
constexpr std::string_view kHarmlessMounts[] = {"/proc/sys/fs/binfmt_misc", "/proc/fs/nfsd", "/proc/xen"};

std::optional<std::string> ReadFact(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.valid()) return std::nullopt;
  absl::StatusOr<std::string> text = ReadAll(file.get(), kFactBytes);
  if (!text.ok()) return std::nullopt;
  while (!text->empty() && std::strchr(" \t\r\n", text->back()) != nullptr) text->pop_back();
  return *std::move(text);
}

std::optional<int64_t> ReadNumber(const std::string& path) {
  const std::optional<std::string> text = ReadFact(path);
  int64_t number = 0;
  if (!text || !absl::SimpleAtoi(*text, &number)) return std::nullopt;
  return number;
}

std::optional<int64_t> ReadSeccompMode(const std::string& status) {
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(status, '\n'))) {
    int64_t mode = 0;
    if (line.rfind("Seccomp:", 0) == 0 && absl::SimpleAtoi(line.substr(8), &mode)) return mode;
  }
  return std::nullopt;
}

std::vector<std::string> MaskedPlaces(const std::string& mountinfo) {
  std::vector<std::string> masked;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(mountinfo, '\n'))) {
    const std::vector<std::string> fields = absl::StrSplit(line, ' ');
    if (fields.size() < 5 || fields[4].rfind("/proc/", 0) != 0) continue;
    if (std::find(std::begin(kHarmlessMounts), std::end(kHarmlessMounts), fields[4]) != std::end(kHarmlessMounts)) continue;
    masked.push_back(fields[4]);
  }
  return masked;
}

std::string VsyscallMode(const std::string& command_line, const std::string& maps) {
  for (const std::string& word : std::vector<std::string>(absl::StrSplit(command_line, ' '))) {
    if (word == "vsyscall=native") return "native";
  }
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(maps, '\n'))) {
    if (line.find("[vsyscall]") == std::string::npos) continue;
    return line.find(" r-x") == std::string::npos ? "xonly" : "emulate";
  }
  return "none";
}

// 5013 of "5.13.0-1-amd64", 0 of what is no version.
int KernelVersion(const std::string& release) {
  char* rest = nullptr;
  const long major = std::strtol(release.c_str(), &rest, 10);
  if (*rest != '.' || major < 1 || major > 999) return 0;
  return static_cast<int>(major * 1000 + std::strtol(rest + 1, nullptr, 10));
}

bool IsOlder(const IsolationFacts& facts, int version) {
  const int known = KernelVersion(facts.kernel);
  return known != 0 && known < version;
}

bool IsRefusal(int error) { return error == 0 || error == EPERM || error == EACCES || error == ENOSYS; }

std::string Unknown(int error) {
  return error == 0 ? "the kernel gave no reason" : absl::StrCat("the kernel said \"", std::strerror(error), "\"");
}

// A filter that this process was started under answers in the kernel's place.
std::string OuterFilter(const IsolationFacts& facts, const std::string& calls) {
  if (facts.container) {
    return absl::StrCat("the seccomp filter of the container refuses ", calls, "; start it with a filter that allows ",
                        "them (docker run --security-opt seccomp=FILE, in Kubernetes securityContext.seccompProfile), or with "
                        "seccomp=unconfined");
  }
  return absl::StrCat("a seccomp filter that this process was started under refuses ", calls,
                      "; start it without one (in a systemd unit: SystemCallFilter=, RestrictNamespaces=)");
}

std::string Persistent(const std::string& setting) {
  return absl::StrCat("as root, run sysctl -w ", setting, " and write ", setting, " to /etc/sysctl.d/90-conclave.conf");
}

std::string NamespaceCause(const NamespaceLayer& layer, int error, const IsolationFacts& facts) {
  for (const char* kind : {"user", layer.kind}) {
    const auto most = facts.most_namespaces.find(kind);
    if (most == facts.most_namespaces.end() || most->second > 0) continue;
    const std::string setting = absl::StrCat("user.max_", kind, "_namespaces");
    return absl::StrCat(setting, " is 0, so nobody may make any",
                        facts.container ? " (of the machine, or of the container)" : "", "; ", Persistent(setting + "=16384"));
  }
  if (error == ENOSPC || error == EUSERS) {
    return absl::StrCat("there are as many ", layer.words, " as user.max_", layer.kind,
                        "_namespaces allows, or they are nested too deep; raise it, as root, with sysctl -w user.max_",
                        layer.kind, "_namespaces=65536, or run fewer at a time");
  }
  if (facts.userns_clone == 0 && IsRefusal(error)) {
    return absl::StrCat("kernel.unprivileged_userns_clone is 0, which keeps user namespaces to root; ",
                        Persistent("kernel.unprivileged_userns_clone=1"));
  }
  if (facts.apparmor_restricts_userns.value_or(0) != 0 && IsRefusal(error)) {
    return absl::StrCat(
        "kernel.apparmor_restrict_unprivileged_userns is 1, with which AppArmor takes all rights in a user ",
        "namespace from programs that have no profile; give the host program a profile with the rule userns, or ",
        Persistent("kernel.apparmor_restrict_unprivileged_userns=0"));
  }
  if (layer.layer != "user_namespace" && !facts.masked.empty() && IsRefusal(error) && facts.container) {
    return absl::StrCat("parts of /proc are masked (", absl::StrJoin(facts.masked.begin(), facts.masked.begin() + 1, ""),
                        facts.masked.size() > 1 ? " and others" : "",
                        "), so the kernel refuses to mount a new one; start the container with --security-opt "
                        "systempaths=unconfined, in Kubernetes with securityContext.procMount: Unmasked");
  }
  if (facts.seccomp_mode == 2 && IsRefusal(error)) return OuterFilter(facts, "clone, unshare or mount for namespaces");
  if (error == EINVAL) {
    return absl::StrCat("this kernel was built without ", layer.words, "; use one that has ", layer.option, "=y");
  }
  if (facts.container && IsRefusal(error)) {
    return absl::StrCat("the container may make no ", layer.words,
                        "; start it with --security-opt seccomp=unconfined and --security-opt apparmor=unconfined, or run on "
                        "the machine itself");
  }
  return absl::StrCat(Unknown(error), " to a request for ", layer.words,
                      "; allow them to ordinary users (user.max_user_namespaces, security modules, no chroot)");
}

std::string LandlockCause(int error, const IsolationFacts& facts) {
  if (IsOlder(facts, 5013)) {
    return absl::StrCat("Linux ", Excerpt(facts.kernel, 40), " has no Landlock, which came with 5.13; use a newer kernel");
  }
  const bool listed = facts.lsms && std::find(facts.lsms->begin(), facts.lsms->end(), "landlock") != facts.lsms->end();
  if (error == EOPNOTSUPP || (facts.lsms && !listed && error != E2BIG)) {
    const std::string in_use = facts.lsms ? absl::StrJoin(*facts.lsms, ",") : "";
    return absl::StrCat("Landlock is not among the security modules that the kernel was started with",
                        in_use.empty() ? "" : absl::StrCat(" (", Excerpt(in_use, 120), ")"), "; add lsm=landlock,",
                        in_use.empty() ? "... (before the modules in use)" : Excerpt(in_use, 120),
                        " to the kernel's command line, where the kernel has CONFIG_SECURITY_LANDLOCK=y");
  }
  if (facts.seccomp_mode == 2 && IsRefusal(error)) return OuterFilter(facts, "the calls of Landlock");
  if (error == ENOSYS) return "this kernel was built without Landlock; use one that has CONFIG_SECURITY_LANDLOCK=y";
  if (error == E2BIG)
    return "the host is under as many Landlock rule sets as there can be, 16; start it outside of some of them";
  return absl::StrCat(Unknown(error), " to Landlock's calls; use a kernel of version 5.13 or later with landlock in lsm=");
}

std::string FilterCause(int error, const IsolationFacts& facts) {
  if (error == EINVAL || (!facts.seccomp_mode && !facts.kernel.empty() && error != EPERM)) {
    return "this kernel was built without filters of system calls; use one that has CONFIG_SECCOMP_FILTER=y";
  }
  if (facts.seccomp_mode == 2 && IsRefusal(error)) return OuterFilter(facts, "further filters");
  if (error == ENOMEM) {
    return "the filters that the host was started under and that of the run are too long together; start it under fewer";
  }
  return absl::StrCat(Unknown(error), " to a filter of system calls; use a kernel that has CONFIG_SECCOMP_FILTER=y");
}

// What to do where the kernel's word says all there is to say.
std::string_view FixOfBasicLayer(std::string_view layer) {
  if (layer == "rlimits") return "the host must be allowed to set its children's limits, and /proc must be mounted";
  if (layer == "no_new_privs") return "use a kernel of version 3.5 or later";
  if (layer == "no_capabilities") return "run the host as an ordinary user, or as root with CAP_SETPCAP";
  if (layer == "unprivileged_uid") {
    return "run the host as an ordinary user, or as root with CAP_SETUID and CAP_SETGID where uid 65534 is mapped";
  }
  if (layer == "descriptors_closed") return "raise the host's RLIMIT_NOFILE";
  if (layer == "process_limit") return "use a kernel that has CONFIG_SECCOMP_FILTER=y";
  return "run the host as an ordinary user, outside of containers";
}

}  // namespace

IsolationFacts ReadIsolationFacts(const std::string& root) {
  const auto at = [&root](std::string_view path) {
    return absl::StrCat(root, root.ends_with('/') ? "" : "/", std::string(path));
  };
  const auto text = [&](std::string_view path) { return ReadFact(at(path)).value_or(""); };
  const auto exists = [&](std::string_view path) { return ::access(at(path).c_str(), F_OK) == 0; };
  IsolationFacts facts;
  facts.kernel = text("proc/sys/kernel/osrelease");
  if (const std::optional<std::string> lsms = ReadFact(at("sys/kernel/security/lsm"))) {
    facts.lsms = absl::StrSplit(*lsms, ',', absl::SkipEmpty());
  }
  facts.apparmor_restricts_userns = ReadNumber(at("proc/sys/kernel/apparmor_restrict_unprivileged_userns"));
  facts.userns_clone = ReadNumber(at("proc/sys/kernel/unprivileged_userns_clone"));
  for (const NamespaceLayer& layer : kNamespaceLayers) {
    const auto most = ReadNumber(at(absl::StrCat("proc/sys/user/max_", layer.kind, "_namespaces")));
    if (most) facts.most_namespaces[layer.kind] = *most;
  }
  facts.seccomp_mode = ReadSeccompMode(text("proc/self/status"));
  facts.container = exists(".dockerenv") || exists("run/.containerenv") || exists("run/systemd/container") ||
                    exists("var/run/secrets/kubernetes.io");
  facts.masked = MaskedPlaces(text("proc/self/mountinfo"));
  facts.vsyscall = VsyscallMode(text("proc/cmdline"), text("proc/self/maps"));
  return facts;
}

std::string CauseAndFix(std::string_view layer, int error, const IsolationFacts& facts) {
  for (const NamespaceLayer& known : kNamespaceLayers) {
    if (known.layer == layer) return NamespaceCause(known, error, facts);
  }
  if (layer == "path_filter") return LandlockCause(error, facts);
  if (layer == "syscall_filter") return FilterCause(error, facts);
  if (layer == "signal_scope") {
    if (!IsOlder(facts, 6012)) return LandlockCause(error, facts);
    return absl::StrCat("Linux ", Excerpt(facts.kernel, 40),
                        " has no scopes of Landlock, which came with 6.12; use a newer kernel");
  }
  return absl::StrCat(Unknown(error), "; ", std::string(FixOfBasicLayer(layer)));
}

std::vector<std::string> Weaknesses(const IsolationFacts& facts) {
  std::vector<std::string> weaknesses;
  if (facts.vsyscall == "native") {
    weaknesses.push_back(
        "the kernel was started with vsyscall=native, so time, gettimeofday and getcpu pass the filter of system calls; start "
        "it with vsyscall=none");
  }
  return weaknesses;
}

}  // namespace conclave
