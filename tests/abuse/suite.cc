#include "tests/abuse/suite.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace conclave {
namespace {

using Request = SandboxRequest;

void FewProcesses(Request& request) { request.limits.processes = 4; }
void LittleTime(Request& request) { request.limits.cpu = absl::Milliseconds(200); }
void ShortWait(Request& request) { request.limits.wall = absl::Milliseconds(300); }
// On a busy machine, too, it has done what it does by then.
void SomeWait(Request& request) { request.limits.wall = absl::Seconds(2); }
void FewThreads(Request& request) { request.limits.threads = 20; }
void MuchDisk(Request& request) {
  request.limits.disk_bytes = 1 << 30;
  request.limits.disk_inodes = 100'000;
}
void ChildrenInTurn(Request& request) {
  request.limits.cpu = absl::Milliseconds(400);
  request.limits.processes = 2;
}

constexpr char kOthersFiles[] = "files follow the permissions of the run's uid alone";
constexpr char kSameUser[] = "with an ordinary user as host, the run is that user";

std::vector<AbuseCase> TimeAndProcesses() {
  return {
      {"1", "spin", {}, "uses the processor without end", {"cpu_limit"}, "", LittleTime},
      {"2", "sleep_forever", {}, "waits without end", {"wall_limit"}, "", ShortWait},
      {"3", "stop_self", {}, "stops itself", {"wall_limit"}, "", SomeWait},
      {"4", "ignore_and_spin", {}, "is deaf to every signal and spins", {"cpu_limit"}, "", LittleTime},
      {"5", "children_in_turn", {"160"}, "spreads its work over children in turn", {"cpu_limit"}, "", ChildrenInTurn},
      {"6", "fork_bomb", {}, "forks without end", {"process_limit"}, "", FewProcesses},
      {"6", "fork_once", {}, "starts a second process where it may have one", {"ok"}},
      {"7", "daemonize", {}, "leaves a daemon behind", {"exit 5"}, "", FewProcesses},
      {"8",
       "refork",
       {},
       "leaves a daemon that is a new process each millisecond",
       {"exit 5"},
       "",
       [](Request& request) { request.limits.processes = 8; }},
      {"9",
       "many_threads",
       {},
       "starts 10,000 threads",
       {"exit 9 / process_limit", "exit 9 / process_limit", "exit 9"},
       "",
       FewThreads},
  };
}

std::vector<AbuseCase> MemoryAndDisk() {
  return {
      {"10", "eat_memory", {}, "takes ten times its memory", {"memory_limit or exit 12"}},
      {"10", "eat_memory", {"shared"}, "takes it as shared mappings of a file", {"memory_limit"}},
      {"11", "reserve", {}, "reserves 100 GB of address space", {"exit 12"}},
      {"12", "recurse", {}, "recurses without end", {"signal 11"}},
      {"13", "park_memory", {}, "makes files in memory and sockets to park them in", {"ok"}},
      {"13", "hold_unseen", {}, "holds memory where no process shows it", {"ok"}},
      {"14", "write_outside", {"/dev/shm", "{mark}"}, "writes to /dev/shm", {"exit 1", "ok"}, kOthersFiles},
      {"15", "lasting_memory", {}, "leaves segments and queues of System V", {"ok"}},
      {"17",
       "children_eat",
       {"50"},
       "spreads its memory over children",
       {"memory_limit"},
       "",
       [](Request& request) { request.limits.processes = 5; }},
      {"19", "hang_without_space", {}, "spins for want of address space", {"memory_suspected"}, "", SomeWait},
      {"20", "sparse_file", {}, "makes a file of 1 TB without content", {"file_size_limit"}},
      {"21", "fill_disk", {}, "writes files of 1 MB without end", {"disk_limit"}},
      {"21", "fill_disk", {"unnamed"}, "the same without names", {"disk_limit"}},
      {"22", "many_files", {}, "makes empty files without end", {"disk_limit"}},
      {"23", "flood", {}, "writes output without end, in one line", {"output_limit"}},
      {"26", "odd_bytes", {}, "writes bytes that are no text", {"ok"}},
      {"27", "close_output", {}, "closes its output and goes on", {"exit 7"}},
      {"28", "read_input", {}, "reads standard input", {"ok"}},
      {"30", "deep_folders", {"170", "250"}, "nests folders beyond the longest path", {"ok"}},
      {"30", "deep_folders", {"20000", "1", "wait"}, "nests 20,000 folders", {"disk_limit"}, "", MuchDisk},
      {"31", "locked_folders", {}, "leaves folders that nobody may enter", {"ok"}},
      {"32", "many_descriptors", {}, "opens 10,000 descriptors", {"exit 24"}},
      {"35", "leave_traps", {}, "leaves links, pipes and giants as artifacts", {"ok"}, "", MuchDisk},
  };
}

std::vector<AbuseCase> Files() {
  return {
      {"33",
       "read_secrets",
       {"{secret}", "{host}"},
       "reads files and environments that are not its own",
       {"exit 1", "ok"},
       kOthersFiles},
      {"34",
       "stat_paths",
       {"{secret}", "{folder}"},
       "asks which files exist",
       {"exit 1", "exit 1", "ok"},
       "Landlock refuses to open, not to ask"},
      {"41",
       "move_outside",
       {"{folder}"},
       "moves and links files out of its folder and into it",
       {"exit 1", "ok"},
       kOthersFiles},
      {"41",
       "write_outside",
       {"{folder}", "{mark}"},
       "writes to a folder that everybody may write",
       {"exit 1", "ok"},
       kOthersFiles},
      {"41", "write_outside", {"/tmp", "{mark}"}, "writes to /tmp", {"exit 1", "ok"}, kOthersFiles},
      {"42", "find_descriptors", {}, "looks for descriptors of its host", {"ok"}},
      {"43",
       "write_input",
       {"{secret}"},
       "writes to a lent file, by every call and mapping",
       {"ok / exit 1", "ok"},
       kSameUser,
       nullptr,
       true},
      {"43",
       "change_metadata",
       {"/proc/self/fd/5"},
       "changes times and mode of a lent file",
       {"ok / exit 1"},
       "Landlock does not cover these calls; contents stay",
       nullptr,
       true},
      {"43",
       "change_metadata",
       {"{folder}/shared"},
       "changes times and mode of a file that everybody may write",
       {"exit 1", "exit 1", "ok"},
       "Landlock does not cover these calls"},
      {"47", "exec_privileged", {"{privileged}"}, "starts a program with the set-user-ID bit", {"ok"}},
      {"47", "exec_privileged", {"{privileged}"}, "the same where it may read it", {"ok"}, "", nullptr, false, true},
      {"50", "watch_folder", {"{folder}"}, "watches a folder of the host", {"exit 4", "ok"}, kOthersFiles},
  };
}

std::vector<AbuseCase> Kernel() {
  return {
      {"48, 57", "make_namespaces", {}, "makes namespaces and mounts", {"ok"}},
      {"51",
       "look_into",
       {"{bystander}", "{host}"},
       "traces and reads other processes",
       {"exit 2 / exit 1", "ok"},
       "arguments are public in /proc; an ordinary user's processes are open to that user's runs"},
      {"52",
       "signal_others",
       {"{bystander}", "{host}"},
       "signals processes that are not its own",
       {"ok / exit 1", "ok"},
       kSameUser},
      {"52", "kill_supervisor", {}, "stops and kills its supervisor", {"exit 6"}},
      {"53-55", "open_sockets", {"{socket}", "{port}"}, "opens sockets of every family, and io_uring", {"ok"}},
      {"54",
       "read_facts",
       {},
       "lists the machine's sockets and routes in /proc/self/net",
       {"exit 1", "exit 1", "exit 1", "ok"},
       "closed by a network namespace alone"},
      {"56",
       "other_tables",
       {},
       "calls the kernel by the numbers of 32-bit and x32 programs",
       {"ok", "policy_violation or ok"}},
      {"58",
       "kernel_surface",
       {},
       "calls parts of the kernel that no analysis needs",
       {"exit 1", "ok"},
       "level 0 refuses what grows unseen or needs a privilege, and leaves what a user may do to itself"},
      {"61", "raise_limits", {}, "raises limits, priority and privileges", {"ok"}},
      {"62", "end_with", {"signal", "6"}, "aborts, for a core dump", {"signal 6"}},
      {"63", "old_page", {}, "calls the page of old system calls", {"ok"}},
      {"64", "end_with", {"exit", "42"}, "exits with 42", {"exit 42"}},
      {"64", "end_with", {"signal", "9"}, "kills itself", {"signal 9"}},
      {"66", "flood_timers", {}, "makes timers and queues signals without end", {"ok"}},
      {.number = "68",
       .program = "keep_key",
       .arguments = {"abuse-{mark}"},
       .tries = "leaves a key for the next run",
       .expected = {"ok / exit 1", "ok"},
       .gap = kSameUser,
       .runs = 2},
  };
}

std::string AllLevels(const AbuseCase& abuse_case) {
  std::string line;
  for (int level = 0; level <= 2; ++level) {
    const size_t last = abuse_case.expected.size() - 1;
    absl::StrAppend(&line, " ", abuse_case.expected[std::min(static_cast<size_t>(level), last)], " |");
  }
  return line;
}

}  // namespace

const std::vector<AbuseCase>& AbuseCases() {
  static const std::vector<AbuseCase>* const cases = [] {
    auto* all = new std::vector<AbuseCase>();
    for (std::vector<AbuseCase> part : {TimeAndProcesses(), MemoryAndDisk(), Files(), Kernel()}) {
      for (AbuseCase& one : part) all->push_back(std::move(one));
    }
    return all;
  }();
  return *cases;
}

std::string ExpectedAt(const AbuseCase& abuse_case, int level, bool own_uid) {
  const size_t last = abuse_case.expected.size() - 1;
  const std::vector<std::string> hosts = absl::StrSplit(abuse_case.expected[std::min(static_cast<size_t>(level), last)], " / ");
  return own_uid ? hosts.front() : hosts.back();
}

std::string SeenEnd(const SandboxResult& result) {
  if (result.end_reason == v1::EXIT_NONZERO) return absl::StrCat("exit ", result.exit_code);
  if (result.end_reason == v1::SIGNAL) return absl::StrCat("signal ", result.signal);
  return absl::AsciiStrToLower(v1::EndReason_Name(result.end_reason));
}

bool IsOneOf(std::string_view expected, std::string_view seen) {
  const std::vector<std::string> ends = absl::StrSplit(std::string(expected), " or ");
  return std::find(ends.begin(), ends.end(), seen) != ends.end();
}

std::vector<std::string> DocumentedLines() {
  std::vector<std::string> lines;
  for (const AbuseCase& one : AbuseCases()) {
    lines.push_back(absl::StrCat("| ", one.number, " | ", one.program, " | ", one.tries, " |", AllLevels(one), " ", one.gap,
                                 one.gap.empty() ? "|" : " |"));
  }
  return lines;
}

}  // namespace conclave
