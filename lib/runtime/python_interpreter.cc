#include "lib/runtime/python_interpreter.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/descriptor.h"

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

constexpr int kMostLinks = 16;
constexpr size_t kSettingsBytes = 1 << 16;
// What an installation of Python, or a virtual environment, is made of.
constexpr const char* kParts[] = {"pyvenv.cfg", "bin", "lib", "lib64", "share"};

bool IsSystemPath(const std::string& path) {
  for (const char* folder : {"/bin/", "/sbin/", "/lib/", "/lib64/", "/usr/"}) {
    if (path.rfind(folder, 0) == 0) return path.rfind("/usr/local/", 0) != 0;
  }
  return false;
}

bool HoldsModules(const std::filesystem::path& prefix) {
  for (const char* name : {"lib", "lib64"}) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(prefix / name, error), end; !error && entry != end; entry.increment(error)) {
      if (entry->path().filename().string().rfind("python3", 0) == 0) return true;
    }
  }
  return false;
}

// The folder of the base interpreter, by the line "home = /usr/bin"; empty when the file names none.
std::string HomeOf(const std::filesystem::path& settings) {
  const Descriptor file(::open(settings.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.valid()) return "";
  absl::StatusOr<std::string> text = ReadAll(file.get(), kSettingsBytes);
  if (!text.ok()) return "";
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(*text, '\n'))) {
    const std::pair<std::string, std::string> setting = absl::StrSplit(line, absl::MaxSplits('=', 1));
    std::string home(absl::StripAsciiWhitespace(setting.second));
    if (absl::StripAsciiWhitespace(setting.first) == "home" && !home.empty() && home[0] == '/') return home;
  }
  return "";
}

// Collects what interpreters need, following links and the bases of virtual environments.
class Needs {
 public:
  void Follow(std::filesystem::path path) {
    for (int links = 0; links < kMostLinks && Visit(path); ++links) {
      std::error_code error;
      const std::filesystem::path target = std::filesystem::read_symlink(path, error);
      if (error) return;
      path = (path.parent_path() / target).lexically_normal();
    }
  }

  std::vector<std::string> Take() { return std::move(readable_); }

 private:
  // False when it was visited before.
  bool Visit(const std::filesystem::path& path) {
    if (!visited_.insert(path.string()).second) return false;
    if (IsSystemPath(path.string())) return true;
    const std::filesystem::path folder = path.parent_path();
    const bool in_bin = folder.filename() == "bin";
    const std::filesystem::path prefix = in_bin ? folder.parent_path() : folder;
    std::error_code error;
    const bool is_environment = std::filesystem::exists(prefix / "pyvenv.cfg", error);
    if (prefix.has_relative_path() && (is_environment || HoldsModules(prefix))) {
      for (const char* part : kParts) Add(prefix / part);
    } else if (!std::filesystem::is_directory(path, error)) {
      Add(in_bin ? folder : path);  // nothing but the interpreter, or a link to it
    }
    if (!is_environment) return true;
    if (const std::string home = HomeOf(prefix / "pyvenv.cfg"); !home.empty()) {
      Follow(std::filesystem::path(home) / path.filename());
      Follow(std::filesystem::path(home) / "python3");
    }
    return true;
  }

  void Add(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return;
    const std::string text = path.string();
    if (std::find(readable_.begin(), readable_.end(), text) == readable_.end()) readable_.push_back(text);
  }

  std::set<std::string> visited_;
  std::vector<std::string> readable_;
};

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

std::vector<std::string> ReadableFor(const std::string& interpreter) {
  if (interpreter.empty() || interpreter[0] != '/') return {};
  Needs needs;
  needs.Follow(std::filesystem::path(interpreter).lexically_normal());
  return needs.Take();
}

}  // namespace conclave
