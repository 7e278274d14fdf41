// The suite of attacks as one table: a program, what it tries, and how its run must end at each level of isolation. Where a
// level cannot refuse it, the end says so and the gap has words; docs/security.md shows the same table.
//
// Thread safety: pure functions.
// Ownership: the table lives as long as the program.
#ifndef CONCLAVE_TESTS_ABUSE_SUITE_H_
#define CONCLAVE_TESTS_ABUSE_SUITE_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "conclave/sandbox.h"

namespace conclave {

// How a run ends, in words: "ok", "exit 3", "signal 11", or the name of the limit, as "cpu_limit". "one or other": both are
// right. "one / other": with a host that is root, whose runs have uids of their own, and with any other host.
using ExpectedEnd = std::string;

struct AbuseCase {
  std::string number;   // in the list of docs/security.md; a number is never used for something else
  std::string program;  // in programs/
  // {secret} a file of the host, readable by all; {folder} a folder that all may write, with a file `shared`; {mark} a name of
  // this test's; {bystander} and {host} processes of the host's user; {socket} and {port} where the host listens; {privileged}
  // a program with the set-user-ID bit.
  std::vector<std::string> arguments;
  std::string tries;
  std::vector<ExpectedEnd> expected;  // from level 0 on; the last one holds for all levels above
  std::string gap = "";               // why it gets through at the levels where it does
  std::function<void(SandboxRequest&)> adjust = nullptr;
  bool lends_secret = false;     // {secret}, open for reading as descriptor 5
  bool may_read_folder = false;  // {folder} is one of the run's readable paths
  int runs = 1;                  // one after the other; the last one counts
};

const std::vector<AbuseCase>& AbuseCases();

// What must be seen of `abuse_case` at `level`, alternatives and all.
std::string ExpectedAt(const AbuseCase& abuse_case, int level, bool own_uid);

std::string SeenEnd(const SandboxResult& result);
bool IsOneOf(std::string_view expected, std::string_view seen);

// The table of docs/security.md: a line for each case.
std::vector<std::string> DocumentedLines();

}  // namespace conclave

#endif  // CONCLAVE_TESTS_ABUSE_SUITE_H_
