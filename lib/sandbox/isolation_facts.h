// IsolationFacts: what /proc and /sys say about why a layer of isolation cannot be had on this machine, and how to get it.
//
// Thread safety: ReadIsolationFacts reads files; the rest are pure functions over values.
//
//   CauseAndFix("user_namespace", EPERM, ReadIsolationFacts());
//   // "AppArmor lets no program of an ordinary user ... (kernel.apparmor_restrict_unprivileged_userns is 1); run ..."
#ifndef CONCLAVE_LIB_SANDBOX_ISOLATION_FACTS_H_
#define CONCLAVE_LIB_SANDBOX_ISOLATION_FACTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conclave {

// What cannot be read is absent: a file that a kernel does not have, or that is hidden from this process.
struct IsolationFacts {
  std::string kernel;                                // "6.1.0-18-amd64"
  std::optional<std::vector<std::string>> lsms;      // the security modules in use: "lockdown", "yama", "apparmor", "landlock"
  std::optional<int64_t> apparmor_restricts_userns;  // kernel.apparmor_restrict_unprivileged_userns
  std::optional<int64_t> userns_clone;               // kernel.unprivileged_userns_clone, of Debian's kernels
  std::map<std::string, int64_t> most_namespaces;    // user.max_KIND_namespaces by KIND: "user", "pid", "ipc", "mnt", "net"
  std::optional<int64_t> seccomp_mode;               // of this process: 0 none, 2 under a filter; absent: a kernel without
  bool container = false;                            // Docker, Podman, Kubernetes or another container manager says so
  std::vector<std::string> masked;                   // what is mounted over places in /proc: "/proc/kcore"
  std::string vsyscall;                              // "emulate", "xonly", "native"; "none" also where there is no such page
};

// Reads them below `root`, which tests replace.
IsolationFacts ReadIsolationFacts(const std::string& root = "/");

// Why `layer` could not be had, as far as `error` (an errno of the call that failed, 0 when it is not known) and the facts
// tell, and how to get it: two clauses with "; " between, no stop. Never empty.
std::string CauseAndFix(std::string_view layer, int error, const IsolationFacts& facts);

// What weakens layers that are had, one sentence each; empty on most machines.
std::vector<std::string> Weaknesses(const IsolationFacts& facts);

}  // namespace conclave

#endif  // CONCLAVE_LIB_SANDBOX_ISOLATION_FACTS_H_
