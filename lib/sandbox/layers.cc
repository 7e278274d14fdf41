#include "lib/sandbox/layers.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace conclave {
namespace {

constexpr Layer kAllLayers[] = {
    {"rlimits", 0, true, "more CPU time, memory, file size and descriptors in a process than the run may have"},
    {"no_new_privs", 0, true, "gaining privileges by starting a set-uid program or one with file capabilities"},
    {"no_capabilities", 0, true, "everything that takes a capability, also in a user namespace that the program makes itself"},
    {"unprivileged_uid", 0, true, "becoming root, and where the host is root also touching what belongs to any other user"},
    {"descriptors_closed", 0, true, "using files and sockets that the host has open"},
    {"environment_clean", 0, true, "reading the host's environment variables, which may hold keys"},
    {"process_limit", 0, false, "starting more processes and threads than the run may have"},
    {"syscall_filter", 1, true,
     "system calls that data programs do not need: sockets, tracing, signals to other processes, mounts, kernel interfaces"},
    {"path_filter", 1, true, "opening files and folders other than the system's programs and libraries and what was granted"},
    {"signal_scope", 1, false, "signals and abstract sockets to processes outside of the run, whatever the way"},
    {"user_namespace", 2, true, "acting with the host's user and group ids"},
    {"process_namespace", 2, true, "seeing, signalling and outliving as a process other than those of the run"},
    {"ipc_namespace", 2, true, "System V shared memory, semaphores and queues of other processes, and leaving any behind"},
    {"mount_namespace", 2, true, "seeing whether files other than those granted exist, their names, sizes and dates"},
    {"network_namespace", 3, true, "network interfaces, addresses and abstract sockets of the host, its loopback among them"},
};

constexpr std::string_view kDeniedByLevel[] = {
    "going beyond limits, gaining privileges, using the host's descriptors and environment",
    "all system calls but those data programs need, and opening any file that was not granted",
    "seeing other processes, their shared memory, and that files which were not granted exist",
    "the host's network, loopback included",
};
static_assert(std::size(kDeniedByLevel) == kStrongestLevel + 1);

absl::Status NoLevel(std::string_view field, int level) {
  return absl::InvalidArgumentError(absl::StrCat(std::string(field), ": ", level, " is no level of isolation: give one from ",
                                                 kIsolationRange.least, " to ", kIsolationRange.most));
}

bool IsLevel(int level) { return level >= kIsolationRange.least && level <= kIsolationRange.most; }

}  // namespace

std::span<const Layer> LayersOfLevel(int level) {
  const auto of_level = [level](const Layer& layer) { return layer.level == level; };
  const Layer* const first = std::find_if(std::begin(kAllLayers), std::end(kAllLayers), of_level);
  return {first, std::find_if_not(first, std::end(kAllLayers), of_level)};
}

const Layer* FindLayer(std::string_view name) {
  const Layer* const found =
      std::find_if(std::begin(kAllLayers), std::end(kAllLayers), [&](const Layer& layer) { return layer.name == name; });
  return found == std::end(kAllLayers) ? nullptr : found;
}

int LevelOfLayer(std::string_view name) {
  const Layer* const layer = FindLayer(name);
  return layer == nullptr ? -1 : layer->level;
}

std::string_view DeniedByLevel(int level) { return IsLevel(level) ? kDeniedByLevel[level] : ""; }

absl::Status CheckIsolation(const Isolation& isolation) {
  if (!IsLevel(isolation.required)) return NoLevel("isolation.required", isolation.required);
  if (!IsLevel(isolation.preferred)) return NoLevel("isolation.preferred", isolation.preferred);
  if (isolation.preferred >= isolation.required) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("isolation.preferred: ", isolation.preferred, " is below the ",
                                                 isolation.required, " of isolation.required: give at least that"));
}

absl::StatusOr<Isolation> IsolationOf(std::optional<int> required, std::optional<int> preferred) {
  Isolation isolation;
  if (required) isolation = {*required, std::max(*required, isolation.preferred)};
  if (preferred) isolation = {required ? *required : std::min(*preferred, isolation.required), *preferred};
  if (!required && preferred && !IsLevel(*preferred)) return NoLevel("isolation.preferred", *preferred);
  if (absl::Status status = CheckIsolation(isolation); !status.ok()) return status;
  return isolation;
}

}  // namespace conclave
