#include "tests/failure/belongings.h"

#include <dirent.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

namespace conclave {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// Entries of `path` but the dots, and but the descriptor that reading it takes.
std::vector<std::string> EntriesOf(const std::string& path) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir(path.c_str()));
  if (folder == nullptr) return names;
  const std::string own = std::to_string(::dirfd(folder.get()));
  const bool descriptors = path == "/proc/self/fd";
  while (const dirent* const entry = ::readdir(folder.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != ".." && !(descriptors && name == own)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string Content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> Descriptors() {
  std::vector<std::string> found;
  for (const std::string& name : EntriesOf("/proc/self/fd")) {
    char target[512] = "";
    const ssize_t length = ::readlink(("/proc/self/fd/" + name).c_str(), target, sizeof target - 1);
    if (length >= 0) found.push_back(name + " " + std::string(target, static_cast<size_t>(length)));
  }
  return found;
}

// An orphan that has ended waits for its adopter, which is nobody's fault: it is reaped here. One that never was ours by
// adoption alone has our own number as its parent's all along, and cannot be told apart; who starts a process checks that
// itself.
std::vector<std::string> Children() {
  std::vector<std::string> found;
  for (const std::string& thread : EntriesOf("/proc/self/task")) {
    std::istringstream pids(Content("/proc/self/task/" + thread + "/children"));
    for (std::string pid; pids >> pid;) {
      const std::string stat = Content("/proc/" + pid + "/stat");
      const size_t name = stat.find('(');
      const size_t after = stat.rfind(')');
      if (name == std::string::npos || after == std::string::npos) continue;
      const char state = stat[after + 2];
      if (state == 'Z' && ::waitpid(std::atoi(pid.c_str()), nullptr, WNOHANG) > 0) continue;
      found.push_back(pid + " " + state + " " + stat.substr(name, after + 1 - name));
    }
  }
  return found;
}

void AddNew(const char* what, const std::vector<std::string>& now, const std::vector<std::string>& before, std::string* out) {
  for (const std::string& one : now) {
    if (std::find(before.begin(), before.end(), one) == before.end()) out->append(what).append(" ").append(one).append("; ");
  }
}

}  // namespace

Belongings Belongings::Of(const std::string& folder) {
  return {Descriptors(), EntriesOf("/proc/self/task"), Children(), EntriesOf(folder)};
}

std::string Belongings::Beyond(const Belongings& before) const {
  std::string out;
  AddNew("descriptor", descriptors, before.descriptors, &out);
  AddNew("thread", threads, before.threads, &out);
  AddNew("process", children, before.children, &out);
  AddNew("entry", entries, before.entries, &out);
  return out;
}

void AdoptOrphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

Belongings SettledBelongings(const std::string& folder, int patience_ms) {
  for (int waited = 0;; ++waited) {
    Belongings now = Belongings::Of(folder);
    if (now.children.empty() || waited >= patience_ms) return now;
    ::poll(nullptr, 0, 1);
  }
}

}  // namespace conclave
