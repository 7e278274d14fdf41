// abuse_test [--table=FILE]: runs the tests; with --table, the suite and the matrix of concurrent runs alone, and writes what
// was expected and what was seen to FILE as Markdown.
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/abuse/record.h"
#include "tests/abuse/suite.h"

namespace conclave {
namespace {

std::map<std::string, std::vector<std::string>>& Tables() {
  static auto* const tables = new std::map<std::string, std::vector<std::string>>();
  return *tables;
}

bool WriteTables(const std::string& path) {
  std::ofstream file(path);
  struct utsname kernel = {};
  ::uname(&kernel);
  file << "Linux " << kernel.release << ", " << kernel.machine << ", host is "
       << (::geteuid() == 0 ? "root" : "an ordinary user")
       << "\n\n| number | program | tries | level | expected | seen |\n|---|---|---|---|---|---|\n";
  for (const std::string& line : RecordedLines("suite")) file << line << "\n";
  file << "\nTwo runs at the same time, one attacking the other:\n\n| attack | level | seen |\n|---|---|---|\n";
  for (const std::string& line : RecordedLines("concurrent")) file << line << "\n";
  file << "\nAs docs/security.md shows the suite:\n\n| no. | program | what it tries | L0 | L1 | L2 | why "
          "|\n|---|---|---|---|---|---|---|\n";
  for (const std::string& line : DocumentedLines()) file << line << "\n";
  return file.good();
}

}  // namespace

void RecordLine(const std::string& table, const std::string& line) { Tables()[table].push_back(line); }

const std::vector<std::string>& RecordedLines(const std::string& table) { return Tables()[table]; }

}  // namespace conclave

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  constexpr std::string_view kOption = "--table=";
  const std::string_view last = count == 2 ? arguments[1] : "";
  if (count > 2 || (count == 2 && !last.starts_with(kOption))) return 64;
  if (count == 2) GTEST_FLAG_SET(filter, "*AbuseSuiteTest*:*ConcurrentRunsTest*");
  const int status = RUN_ALL_TESTS();
  if (count == 2 && !conclave::WriteTables(std::string(last.substr(kOption.size())))) return 74;
  return status;
}
