#include "lib/runtime/python_interpreter.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace conclave {
namespace {

constexpr char kUsual[] = "/usr/bin/python3";

std::string Variable(const char* name) {
  const char* value = ::secure_getenv(name);
  return value == nullptr ? "" : value;
}

// One key for the same file reached through linked folders (/bin and /usr/bin). The name itself is not followed: an interpreter
// of a virtual environment is a link, and knows its packages by where the link lies.
std::string PlaceOf(const std::string& path) {
  std::error_code error;
  const std::filesystem::path given(path);
  const std::filesystem::path folder = std::filesystem::weakly_canonical(given.parent_path(), error);
  return error ? path : (folder / given.filename()).string();
}

}  // namespace

PythonSurroundings ReadPythonSurroundings() {
  PythonSurroundings surroundings;
  surroundings.chosen = Variable("CONCLAVE_PYTHON");
  surroundings.path = Variable("PATH");
  for (const char* name : {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}) {
    std::string value = Variable(name);
    if (!value.empty()) surroundings.passed_on.push_back(absl::StrCat(name, "=", value));
  }
  return surroundings;
}

std::vector<std::string> PythonCandidates(std::string_view given, const PythonSurroundings& surroundings) {
  if (!given.empty()) return {std::string(given)};
  std::vector<std::string> candidates;
  std::set<std::string> places;
  const auto add = [&](const std::string& path) {
    if (places.insert(PlaceOf(path)).second) candidates.push_back(path);
  };
  if (!surroundings.chosen.empty()) add(surroundings.chosen);
  for (const std::string& folder : std::vector<std::string>(absl::StrSplit(surroundings.path, ':'))) {
    const std::string path = absl::StrCat(folder, "/python3");
    if (!folder.empty() && folder[0] == '/' && ::access(path.c_str(), X_OK) == 0) add(path);
  }
  if (::access(kUsual, X_OK) == 0) add(kUsual);
  return candidates;
}

}  // namespace conclave
