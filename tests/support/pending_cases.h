// Cases that wait for later work: tests/cases/pending.txt, read by every suite of golden cases.
//
// A line is `SUITE CASE reason`. A pending case that passes is a failure until its line is removed, and so is a line that names
// no case; a case without a line must pass.
//
//   PendingCases pending("answer_pairs");
//   for (const Case& one : cases) EXPECT_EQ(pending.Judge(one.id, passed, why), "");
//   EXPECT_EQ(pending.Unused(), "");
#ifndef CONCLAVE_TESTS_SUPPORT_PENDING_CASES_H_
#define CONCLAVE_TESTS_SUPPORT_PENDING_CASES_H_

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace conclave {

class PendingCases {
 public:
  explicit PendingCases(const std::string& suite) : PendingCases(suite, CONCLAVE_SOURCE_DIR "/tests/cases/pending.txt") {}
  PendingCases(const std::string& suite, const std::string& path) {
    std::ifstream file(path);
    if (!file) unreadable_ = "cannot read " + path;
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string of_suite, id, reason;
      if (!(words >> of_suite) || of_suite[0] == '#' || of_suite != suite) continue;
      words >> id;
      std::getline(words >> std::ws, reason);
      if (id.empty() || reason.empty()) unreadable_ = "a pending line needs a suite, a case and a reason: " + line;
      reasons_[id] = reason;
    }
  }

  bool Contains(const std::string& id) const { return reasons_.count(id) > 0; }

  // Empty when `passed` is what the list says; otherwise what to do. `why` tells what went wrong in a case that did not pass.
  std::string Judge(const std::string& id, bool passed, const std::string& why) {
    if (!unreadable_.empty()) return unreadable_;
    seen_.insert(id);
    if (Contains(id)) return passed ? id + " passes: remove its line from tests/cases/pending.txt" : "";
    return passed ? "" : id + ": " + why;
  }

  // Lines of this suite that named none of the cases judged.
  std::string Unused() const {
    std::string unused;
    for (const auto& [id, reason] : reasons_) {
      if (seen_.count(id) == 0) unused += (unused.empty() ? "no such case: " : ", ") + id;
    }
    return unused;
  }

 private:
  std::map<std::string, std::string> reasons_;
  std::set<std::string> seen_;
  std::string unreadable_;
};

}  // namespace conclave

#endif  // CONCLAVE_TESTS_SUPPORT_PENDING_CASES_H_
