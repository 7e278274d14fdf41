#include "lib/sandbox/outcome.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/text.h"
#include "lib/sandbox/isolation_facts.h"
#include "lib/sandbox/layers.h"
#include "lib/sandbox/policy.h"

namespace conclave {
namespace {

// By conclave_layer.
constexpr const char* kLayerNames[] = {
    "rlimits",           "no_new_privs",      "no_capabilities", "unprivileged_uid", "descriptors_closed",
    "environment_clean", "process_limit",     "syscall_filter",  "path_filter",      "signal_scope",
    "user_namespace",    "process_namespace", "ipc_namespace",   "mount_namespace",  "network_namespace",
};
static_assert(std::size(kLayerNames) == CONCLAVE_LAYER_COUNT);

// What a failed step means: the layer it belongs to, and the way out.
struct StepMeaning {
  conclave_step step;
  const char* name;
  const char* layer;  // nullptr: the step is no layer's
  const char* way_out;
};

constexpr StepMeaning kSteps[] = {
    {CONCLAVE_STEP_POLICY, "policy", nullptr, ""},
    {CONCLAVE_STEP_PROC, "proc", "rlimits",
     "mount /proc for the host's own process namespace: the watchdog reads memory and processes there"},
    {CONCLAVE_STEP_SUBREAPER, "subreaper", nullptr, "a kernel of version 3.4 or later is needed"},
    {CONCLAVE_STEP_FOLDER_OWNER, "folder_owner", "unprivileged_uid",
     "choose a temporary folder on a file system that can hold files of any uid, or run as an ordinary user"},
    {CONCLAVE_STEP_CLONE, "clone", nullptr, ""},
    {CONCLAVE_STEP_NAMESPACES, "namespaces", "user_namespace", ""},
    {CONCLAVE_STEP_ID_MAPS, "id_maps", "user_namespace", ""},
    {CONCLAVE_STEP_MOUNTS, "mounts", "mount_namespace", ""},
    {CONCLAVE_STEP_SESSION, "session", nullptr, ""},
    {CONCLAVE_STEP_ANNOUNCE, "announce", nullptr, ""},
    {CONCLAVE_STEP_RLIMITS, "rlimits", "rlimits", "the host must be allowed to set its children's limits"},
    {CONCLAVE_STEP_FOLDER, "folder", nullptr, ""},
    {CONCLAVE_STEP_DESCRIPTORS, "descriptors", "descriptors_closed", "raise the host's RLIMIT_NOFILE"},
    {CONCLAVE_STEP_BOUNDING_SET, "bounding_set", "no_capabilities", "run as root with CAP_SETPCAP, or as an ordinary user"},
    {CONCLAVE_STEP_UID, "uid", "unprivileged_uid",
     "run as an ordinary user, or as root with CAP_SETUID and CAP_SETGID in a namespace that maps uid 65534"},
    {CONCLAVE_STEP_CAPABILITIES, "capabilities", "no_capabilities", "run as an ordinary user"},
    {CONCLAVE_STEP_NO_NEW_PRIVS, "no_new_privs", "no_new_privs", "a kernel of version 3.5 or later is needed"},
    {CONCLAVE_STEP_PARENT_DEATH, "parent_death", nullptr, ""},
    {CONCLAVE_STEP_FOLDER_REACHABLE, "folder_reachable", "unprivileged_uid",
     "choose a temporary folder that every user can reach, such as /tmp"},
    {CONCLAVE_STEP_PATH_FILTER, "path_filter", "path_filter", ""},
    {CONCLAVE_STEP_SYSCALL_FILTER, "syscall_filter", "syscall_filter", ""},
    {CONCLAVE_STEP_CANARIES, "canaries", "rlimits", "the line above says what the kernel allowed"},
    {CONCLAVE_STEP_SIGNALS, "signals", nullptr, ""},
    {CONCLAVE_STEP_EXEC, "exec", nullptr, ""},
};

const StepMeaning* FindStep(uint32_t step) {
  const auto* found = std::find_if(std::begin(kSteps), std::end(kSteps),
                                   [&](const StepMeaning& meaning) { return static_cast<uint32_t>(meaning.step) == step; });
  return found == std::end(kSteps) ? nullptr : found;
}

std::string SignalText(int number) {
  const char* const name = ::sigabbrev_np(number);
  return name == nullptr ? absl::StrCat("signal ", number) : absl::StrCat("SIG", name);
}

bool IsProven(const std::vector<v1::LayerState>& layers, std::string_view name) {
  return std::any_of(layers.begin(), layers.end(),
                     [&](const v1::LayerState& state) { return state.name() == name && state.achieved(); });
}

// The highest level all of whose required layers were proven, with those of the levels below; -1 when there is none.
int LevelOf(const std::vector<v1::LayerState>& layers) {
  for (int level = 0; level <= kStrongestLevel; ++level) {
    for (const Layer& layer : LayersOfLevel(level)) {
      if (layer.required && !IsProven(layers, layer.name)) return level - 1;
    }
  }
  return kStrongestLevel;
}

// The required layer that a trial inside the run disproved; the one of the lowest level when there are several.
const v1::LayerState* Disproved(const std::vector<v1::LayerState>& layers) {
  const v1::LayerState* lowest = nullptr;
  for (const v1::LayerState& state : layers) {
    const Layer* const layer = FindLayer(state.name());
    if (state.achieved() || layer == nullptr || !layer->required) continue;
    if (lowest == nullptr || layer->level < LevelOfLayer(lowest->name())) lowest = &state;
  }
  return lowest;
}

absl::Status MissingLayer(const StepMeaning& meaning, const conclave_message& message,
                          const std::vector<v1::LayerState>& layers) {
  std::string name = meaning.layer;
  std::string why = absl::StrCat("step ", meaning.name, ": ", std::strerror(message.error));
  if (message.body.text[0] != '\0') absl::StrAppend(&why, " (", Excerpt(message.body.text, 160), ")");
  std::string way_out = meaning.way_out;
  if (message.code == CONCLAVE_STEP_CANARIES) {
    if (const v1::LayerState* const layer = Disproved(layers); layer != nullptr) {
      name = layer->name();
      why = absl::StrCat("a trial inside the run did not hold: ", layer->detail());
    }
    way_out = "run the host as an ordinary user, or as root with all its capabilities";
  }
  if (LevelOfLayer(name) >= 1) way_out = CauseAndFix(name, message.error, ReadIsolationFacts());
  return absl::FailedPreconditionError(
      absl::StrCat("required layer ", name, " (level ", LevelOfLayer(name), ") cannot be had: ", why, "; ", way_out));
}

// The program never ran.
absl::StatusOr<SandboxResult> ConcludeFailure(const SandboxRequest& request, const conclave_message& message,
                                              const std::vector<v1::LayerState>& layers, bool cancelled) {
  const StepMeaning* const meaning = FindStep(message.code);
  if (meaning == nullptr) return absl::InternalError(absl::StrCat("the supervisor failed at unknown step ", message.code));
  if (message.code == CONCLAVE_STEP_EXEC) {
    std::string detail = absl::StrCat("the program ", Excerpt(request.arguments[0], 300),
                                      " could not be started: ", std::strerror(message.error), " (execve)");
    // The host could open it.
    if (message.error == EACCES || message.error == ENOENT) {
      absl::StrAppend(
          &detail,
          "; the run's unprivileged user may not use it: make it readable and executable for everybody, and every folder above "
          "it passable (chmod a+rX)");
    }
    return NeverStarted(v1::LAUNCH_FAILED, detail);
  }
  if (meaning->layer != nullptr) return MissingLayer(*meaning, message, layers);
  if (cancelled) return NeverStarted(v1::CANCELLED, "cancelled before the program started");
  const std::string what =
      absl::StrCat("starting the program failed at step ", meaning->name, ": ", std::strerror(message.error),
                   message.body.text[0] == '\0' ? "" : " on ", Excerpt(message.body.text, 160));
  if (message.error == EPROTO) {
    return absl::FailedPreconditionError(absl::StrCat(what, "; the supervisor is of another version than the library"));
  }
  if (message.error == EMFILE) return absl::ResourceExhaustedError(absl::StrCat(what, "; raise the host's RLIMIT_NOFILE"));
  if (message.error == EAGAIN || message.error == ENOMEM) return absl::ResourceExhaustedError(what);
  return absl::InternalError(what);
}

struct Verdict {
  v1::EndReason reason;
  std::string detail;
};

bool AddressSpaceWasFull(const SandboxRequest& request, const conclave_end& end, int64_t mapped_bytes) {
  const int64_t limit = AddressSpace(request.limits, mapped_bytes);
  return end.address_peak_bytes >= limit - limit / 20;
}

// A time limit, unless the run looks like one that could not get address space and spun or hung for want of it.
Verdict TimeVerdict(v1::EndReason reason, std::string detail, const SandboxRequest& request, const conclave_end& end,
                    int64_t mapped_bytes) {
  if (!AddressSpaceWasFull(request, end, mapped_bytes)) return {reason, std::move(detail)};
  return {v1::MEMORY_SUSPECTED,
          absl::StrCat(detail, "; its address space had reached ", BytesText(end.address_peak_bytes), " of ",
                       BytesText(AddressSpace(request.limits, mapped_bytes)),
                       ", so it probably hung for want of memory: raise memory_bytes or use fewer threads")};
}

std::string WallDetail(const SandboxRequest& request, const conclave_end& end) {
  std::string detail =
      absl::StrCat("wall limit of ", absl::FormatDuration(request.limits.wall), " reached after ", MeasuredText(end.seen));
  if (end.stopped != 0) absl::StrAppend(&detail, "; the program was stopped (SIGSTOP)");
  return detail;
}

std::string CpuDetail(const SandboxRequest& request, const conclave_end& end, int64_t seen_ns) {
  return absl::StrCat("CPU limit of ", absl::FormatDuration(request.limits.cpu), " reached: ", MeasuredText(seen_ns),
                      end.processes_peak > 1 ? " used by all processes of the run" : " used");
}

// The main process ended by a signal that the supervisor did not send.
Verdict SignalVerdict(const SandboxRequest& request, const conclave_end& end, bool filtered) {
  const int64_t cpu_ns = (end.cpu_user_us + end.cpu_system_us) * 1000;
  if (end.signal == SIGXCPU || (end.signal == SIGKILL && cpu_ns >= absl::ToInt64Nanoseconds(request.limits.cpu))) {
    return {v1::CPU_LIMIT, CpuDetail(request, end, cpu_ns)};
  }
  // The filter of level 1 ends a program that makes calls by the numbers of another machine; none other is ended so.
  if (end.signal == SIGSYS && filtered) {
    return {v1::POLICY_VIOLATION,
            "ended by SIGSYS: it made a system call by another machine's numbers (32-bit), or sent itself "
            "that signal"};
  }
  if (end.signal == SIGXFSZ) {
    return {v1::FILE_SIZE_LIMIT, absl::StrCat("file size limit of ", BytesText(request.limits.disk_bytes),
                                              " (disk_bytes) would have been passed by one file (SIGXFSZ)")};
  }
  std::string detail = absl::StrCat("ended by ", SignalText(end.signal));
  if (end.signal == SIGKILL) {
    absl::StrAppend(
        &detail,
        ", which Conclave did not send: the program itself may have, or the system (its out-of-memory killer), or a person");
  } else if (end.signal == SIGSEGV) {
    absl::StrAppend(&detail, ", an access to memory it does not have (a wild pointer, or recursion without end)");
  }
  return {v1::SIGNAL, detail};
}

Verdict ExitVerdict(const SandboxRequest& request, const conclave_end& end, bool filtered) {
  if (end.signal != 0) return SignalVerdict(request, end, filtered);
  std::string detail = absl::StrCat("exited with status ", end.exit_code);
  if (end.processes_left > 0) {
    absl::StrAppend(&detail, "; ", end.processes_left, end.processes_left == 1 ? " process" : " processes",
                    " it left behind were ended");
  }
  return {end.exit_code == 0 ? v1::OK : v1::EXIT_NONZERO, detail};
}

Verdict OutputVerdict(const SandboxRequest& request, const Observation& seen) {
  if (seen.result_overflow) {
    return {v1::OUTPUT_LIMIT, absl::StrCat("result limit of ", BytesText(request.result_bytes), " (result_bytes) exceeded")};
  }
  const int64_t flood = kOutputFlood * request.limits.output_bytes;
  const bool output = seen.standard_output.total() > flood;
  return {v1::OUTPUT_LIMIT,
          absl::StrCat("standard ", output ? "output" : "error", " passed ", BytesText(flood), ", ", kOutputFlood,
                       " times what is kept (output_bytes ", BytesText(request.limits.output_bytes), ")")};
}

bool OutputOverflowed(const SandboxRequest& request, const Observation& seen) {
  return seen.result_overflow ||
         std::max(seen.standard_output.total(), seen.standard_error.total()) > kOutputFlood * request.limits.output_bytes;
}

Verdict CauseVerdict(const SandboxRequest& request, const Observation& seen, int64_t mapped_bytes, bool cancelled) {
  const conclave_end& end = seen.last->body.end;
  const Limits& limits = request.limits;
  switch (seen.last->code) {
    case CONCLAVE_CAUSE_EXITED:
      return OutputOverflowed(request, seen) ? OutputVerdict(request, seen)
                                             : ExitVerdict(request, end, IsProven(seen.layers, "syscall_filter"));
    case CONCLAVE_CAUSE_WALL: return TimeVerdict(v1::WALL_LIMIT, WallDetail(request, end), request, end, mapped_bytes);
    case CONCLAVE_CAUSE_CPU: return TimeVerdict(v1::CPU_LIMIT, CpuDetail(request, end, end.seen), request, end, mapped_bytes);
    case CONCLAVE_CAUSE_MEMORY:
      return {v1::MEMORY_LIMIT,
              absl::StrCat("memory limit of ", BytesText(limits.memory_bytes), " exceeded: ", BytesText(end.seen), " in ",
                           end.processes_peak, end.processes_peak == 1 ? " process" : " processes")};
    case CONCLAVE_CAUSE_DISK_BYTES:
      return {v1::DISK_LIMIT,
              absl::StrCat("disk limit of ", BytesText(limits.disk_bytes), " exceeded: ", BytesText(end.seen), " written")};
    case CONCLAVE_CAUSE_DISK_INODES:
      return {v1::DISK_LIMIT,
              absl::StrCat("disk limit of ", limits.disk_inodes, " files and folders exceeded: ", end.seen, " found")};
    case CONCLAVE_CAUSE_DISK_DEPTH:
      return {v1::DISK_LIMIT, absl::StrCat("folders nested deeper than ", CONCLAVE_MAX_FOLDER_DEPTH, " levels")};
    case CONCLAVE_CAUSE_PROCESSES:
      return {v1::PROCESS_LIMIT, absl::StrCat("limit of ", limits.processes, limits.processes == 1 ? " process" : " processes",
                                              " exceeded: ", end.seen, " found")};
    case CONCLAVE_CAUSE_THREADS:
      return {v1::PROCESS_LIMIT, absl::StrCat("limit of ", limits.threads, limits.threads == 1 ? " thread" : " threads",
                                              " exceeded: ", end.seen, " found")};
    case CONCLAVE_CAUSE_DEADLINE:
      return {v1::DEADLINE, absl::StrCat("the job's deadline came when this run had taken ", MeasuredText(end.wall_ns))};
    case CONCLAVE_CAUSE_OUTPUT: return OutputVerdict(request, seen);
    case CONCLAVE_CAUSE_CANCELLED: return {v1::CANCELLED, absl::StrCat("cancelled after ", MeasuredText(end.wall_ns))};
    case CONCLAVE_CAUSE_HOST_GONE:
      if (cancelled) return {v1::CANCELLED, absl::StrCat("cancelled after ", MeasuredText(end.wall_ns))};
      return {v1::HOST_SHUTDOWN, "the host closed its line to the run"};
    default: return {v1::STATUS_LOST, absl::StrCat("the supervisor gave an unknown cause ", seen.last->code)};
  }
}

void SetUsage(const conclave_end& end, v1::Usage* usage) {
  const bool ran = end.wall_ns > 0;
  if (!ran) return;
  usage->set_wall_us(end.wall_ns / 1000);
  usage->set_cpu_user_us(end.cpu_user_us);
  usage->set_cpu_system_us(end.cpu_system_us);
  if (end.memory_peak_bytes >= 0) usage->set_memory_peak_bytes(end.memory_peak_bytes);
  usage->set_processes_peak(end.processes_peak);
  usage->set_threads_peak(end.threads_peak);
  if (end.disk_bytes >= 0) usage->set_disk_bytes(end.disk_bytes);
  if (end.disk_inodes >= 0) usage->set_disk_inodes(end.disk_inodes);
}

}  // namespace

v1::LayerState LayerOf(const conclave_message& message) {
  v1::LayerState state;
  state.set_name(message.code < std::size(kLayerNames) ? kLayerNames[message.code] : "unknown");
  state.set_achieved(message.error == 0);
  state.set_detail(RepairUtf8(message.body.text));
  return state;
}

std::string StepName(uint32_t step) {
  const StepMeaning* const meaning = FindStep(step);
  return meaning == nullptr ? absl::StrCat("step ", step) : meaning->name;
}

std::string MeasuredText(int64_t ns) {
  if (ns < 999'500) return absl::StrFormat("%.3gms", static_cast<double>(std::max<int64_t>(ns, 0)) / 1e6);
  if (ns < 999'500'000) return absl::StrCat((ns + 500'000) / 1'000'000, "ms");
  if (ns < 99'950'000'000) return absl::StrFormat("%.3gs", static_cast<double>(ns) / 1e9);
  return absl::FormatDuration(absl::Seconds((ns + 500'000'000) / 1'000'000'000));
}

std::string BytesText(int64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  if (unit == 0) return absl::StrCat(bytes, bytes == 1 ? " byte" : " bytes");
  const int digits = value == static_cast<double>(static_cast<int64_t>(value)) ? 0 : 1;
  return absl::StrFormat("%.*f %s", digits, value, kUnits[unit]);
}

SandboxResult NeverStarted(v1::EndReason reason, std::string detail) {
  SandboxResult result;
  result.end_reason = reason;
  result.detail = std::move(detail);
  return result;
}

absl::StatusOr<SandboxResult> Conclude(const SandboxRequest& request, Observation seen, int64_t begun_ns, int64_t mapped_bytes,
                                       bool cancelled) {
  SandboxResult result;
  if (seen.last.has_value() && seen.last->kind == CONCLAVE_MESSAGE_FAILED) {
    absl::StatusOr<SandboxResult> failure = ConcludeFailure(request, *seen.last, seen.layers, cancelled);
    if (!failure.ok()) return failure.status();
    result = *std::move(failure);
  } else if (!seen.last.has_value()) {
    result = NeverStarted(v1::STATUS_LOST, "the supervisor ended or hung without a report; the run was ended");
  } else {
    const conclave_end& end = seen.last->body.end;
    Verdict verdict = CauseVerdict(request, seen, mapped_bytes, cancelled);
    result.end_reason = verdict.reason;
    result.detail = std::move(verdict.detail);
    result.exit_code = end.exit_code;
    result.signal = end.signal;
    SetUsage(end, &result.usage);
  }
  result.isolation_level = LevelOf(seen.layers);
  result.layers = std::move(seen.layers);
  result.usage.set_output_bytes(seen.standard_output.total() + seen.standard_error.total());
  for (uint32_t step = 0; step < seen.step_us.size(); ++step) {
    if (seen.step_us[step] > 0) result.steps.push_back({StepName(step), seen.step_us[step]});
  }
  if (seen.started_ns.has_value()) result.usage.set_setup_us((*seen.started_ns - begun_ns) / 1000);
  result.standard_output = seen.standard_output.Stream();
  result.standard_error = seen.standard_error.Stream();
  result.result = std::move(seen.result);
  return result;
}

}  // namespace conclave
