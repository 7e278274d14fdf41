#include "lib/sandbox/program.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/base/descriptor.h"
#include "lib/base/text.h"

namespace conclave {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
constexpr char kMachineName[] = "x86-64";
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
constexpr char kMachineName[] = "arm64";
#else
#error "the sandbox is written for x86-64 and arm64"
#endif

// A program we may run but not read has no header to look at; the kernel will judge it.
std::optional<std::string> HeaderProblem(int fd) {
  Elf64_Ehdr header = {};
  const ssize_t count = ::pread(fd, &header, sizeof header, 0);
  if (count < 0) return std::nullopt;
  if (count >= 2 && std::memcmp(&header, "#!", 2) == 0) {
    return "is a script; give its interpreter as the program and the script as an argument or descriptor";
  }
  if (count < static_cast<ssize_t>(sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return "is not an ELF program";
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != kMachine) {
    return absl::StrCat("is built for another machine (ELF machine ", header.e_machine, "); this one is ", kMachineName);
  }
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) return "is an ELF file but not a program";
  return std::nullopt;
}

std::optional<std::string> FileProblem(int fd) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0) return std::string(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return "is a folder";
  if (!S_ISREG(status.st_mode)) return "is not a regular file";
  if ((status.st_mode & 0111) == 0) return "is not executable; chmod +x it";
  return HeaderProblem(fd);
}

}  // namespace

std::optional<std::string> ProgramProblem(const SandboxRequest& request) {
  const std::string name = absl::StrCat("the program ", Excerpt(request.arguments[0], 300));
  if (request.executable >= 0) {
    if (auto problem = FileProblem(request.executable)) return absl::StrCat(name, " ", *problem);
    return std::nullopt;
  }
  Descriptor file(::open(request.arguments[0].c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.valid() && errno == EACCES) file = Descriptor(::open(request.arguments[0].c_str(), O_PATH | O_CLOEXEC));
  if (!file.valid()) return absl::StrCat(name, " cannot be opened: ", std::strerror(errno));
  if (auto problem = FileProblem(file.get())) return absl::StrCat(name, " ", *problem);
  return std::nullopt;
}

}  // namespace conclave
