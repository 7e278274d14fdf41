#include "lib/sandbox/program.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
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

bool IsForThisMachine(const Elf64_Ehdr& header) {
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_machine == kMachine;
}

bool IsElf(const Elf64_Ehdr& header) { return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0; }

// Reads up to `size` bytes, fewer only at the end of the file; -1 where the file cannot be read: then the kernel will judge it.
ssize_t ReadAt(int fd, void* out, size_t size, uint64_t offset) {
  ssize_t count = 0;
  do {
    count = ::pread(fd, out, size, static_cast<off_t>(offset));
  } while (count < 0 && errno == EINTR);
  return count;
}

// The interpreter that a program names, which loads it; the kernel says of a missing one no more than that a file is missing.
std::optional<std::string> NamedInterpreterProblem(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  const std::string which = absl::StrCat("needs ", Excerpt(path, 200), " to be loaded, which ");
  if (!file.valid()) {
    // Not for us, or not now: the kernel will judge it.
    if (errno == EACCES || errno == EMFILE || errno == ENFILE || errno == ENOMEM) return std::nullopt;
    return absl::StrCat(which, "cannot be opened: ", std::strerror(errno), "; install its C library, or link it statically");
  }
  Elf64_Ehdr header = {};
  const ssize_t count = ReadAt(file.get(), &header, sizeof header, 0);
  if (count < 0) return std::nullopt;
  if (count < static_cast<ssize_t>(sizeof header) || !IsElf(header)) return absl::StrCat(which, "is not an ELF program");
  if (!IsForThisMachine(header))
    return absl::StrCat(which, "is built for another machine (ELF machine ", header.e_machine, ")");
  return std::nullopt;
}

std::optional<std::string> InterpreterProblem(int fd, const Elf64_Ehdr& header) {
  constexpr size_t kMost = 64;
  Elf64_Phdr segments[kMost];
  if (header.e_phentsize != sizeof(Elf64_Phdr)) return "is an ELF file with a broken header";
  const size_t wanted = std::min<size_t>(header.e_phnum, kMost) * sizeof(Elf64_Phdr);
  const ssize_t count = ReadAt(fd, segments, wanted, header.e_phoff);
  if (count < 0) return std::nullopt;
  if (count < static_cast<ssize_t>(wanted)) return "is an ELF file that is cut short";
  for (size_t i = 0; i < wanted / sizeof(Elf64_Phdr); ++i) {
    if (segments[i].p_type != PT_INTERP) continue;
    if (segments[i].p_filesz < 2 || segments[i].p_filesz > PATH_MAX) return "is an ELF file with a broken interpreter";
    std::string path(segments[i].p_filesz, '\0');
    const ssize_t length = ReadAt(fd, path.data(), path.size(), segments[i].p_offset);
    if (length < 0) return std::nullopt;
    if (length < static_cast<ssize_t>(path.size())) return "is an ELF file that is cut short";
    return NamedInterpreterProblem(path.c_str());
  }
  return std::nullopt;
}

// A program we may run but not read has no header to look at; the kernel will judge it.
std::optional<std::string> HeaderProblem(int fd) {
  Elf64_Ehdr header = {};
  const ssize_t count = ReadAt(fd, &header, sizeof header, 0);
  if (count < 0) return std::nullopt;
  if (count >= 2 && std::memcmp(&header, "#!", 2) == 0) {
    return "is a script; give its interpreter as the program and the script as an argument or descriptor";
  }
  if (count < static_cast<ssize_t>(sizeof header) || !IsElf(header)) {
    return "is not an ELF program";
  }
  if (!IsForThisMachine(header)) {
    return absl::StrCat("is built for another machine (ELF machine ", header.e_machine, "); this one is ", kMachineName);
  }
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) return "is an ELF file but not a program";
  return InterpreterProblem(fd, header);
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
