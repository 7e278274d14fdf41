#include "tests/abuse/bystander.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "gtest/gtest.h"

namespace conclave {
namespace {

constexpr char kSecret[] = "a secret of the host";

void WriteFile(const std::string& path, const std::string& content, mode_t mode) {
  std::ofstream(path) << content;
  ASSERT_EQ(::chmod(path.c_str(), mode), 0);
}

Descriptor ListenAt(const sockaddr* address, socklen_t length) {
  Descriptor end(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::bind(end.get(), address, length), 0) << std::strerror(errno);
  EXPECT_EQ(::listen(end.get(), 4), 0);
  return end;
}

}  // namespace

Bystander::Bystander(const std::string& programs) {
  std::string folder = "/tmp/bystander-XXXXXX";
  EXPECT_NE(::mkdtemp(folder.data()), nullptr);
  folder_ = folder;
  WriteFile(folder_ + "/secret", kSecret, 0644);
  WriteFile(folder_ + "/shared", "shared", 0666);
  std::filesystem::copy_file(programs + "/lent_privilege", folder_ + "/privileged");
  EXPECT_EQ(::chmod((folder_ + "/privileged").c_str(), 04755), 0);
  std::string words[] = {"bystander"};
  char* arguments[] = {words[0].data(), nullptr};
  EXPECT_EQ(::posix_spawn(&process_, (programs + "/sleep_forever").c_str(), nullptr, nullptr, arguments, nullptr), 0);
  Listen();
  EXPECT_EQ(::chmod(folder_.c_str(), 0777), 0);
  inherited_ = ::open("/", O_RDONLY | O_DIRECTORY);  // NOLINT: it is to leak
  names_ = {{"{secret}", folder_ + "/secret"},
            {"{folder}", folder_},
            {"{privileged}", folder_ + "/privileged"},
            {"{socket}", folder_ + "/socket"},
            {"{bystander}", std::to_string(process_)},
            {"{host}", std::to_string(::getpid())},
            {"{port}", names_["{port}"]}};
}

void Bystander::Listen() {
  sockaddr_un there = {};
  there.sun_family = AF_UNIX;
  const std::string path = folder_ + "/socket";
  std::memcpy(there.sun_path, path.c_str(), path.size() + 1);
  unix_socket_ = ListenAt(reinterpret_cast<const sockaddr*>(&there), sizeof there);
  EXPECT_EQ(::chmod(path.c_str(), 0777), 0);
  std::memset(there.sun_path, 0, sizeof there.sun_path);
  std::memcpy(there.sun_path + 1, path.c_str(), path.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + path.size());
  abstract_socket_ = ListenAt(reinterpret_cast<const sockaddr*>(&there), length);

  sockaddr_in port = {};
  port.sin_family = AF_INET;
  port.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  port_ = ListenAt(reinterpret_cast<const sockaddr*>(&port), sizeof port);
  socklen_t size = sizeof port;
  EXPECT_EQ(::getsockname(port_.get(), reinterpret_cast<sockaddr*>(&port), &size), 0);
  names_["{port}"] = std::to_string(ntohs(port.sin_port));
}

Bystander::~Bystander() {
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  ::close(inherited_);
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

bool Bystander::alive() const {
  siginfo_t ended = {};
  return ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
}

bool Bystander::secret_is_whole() const {
  std::ifstream file(folder_ + "/secret");
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()) == kSecret;
}

std::string Bystander::Added() const {
  const std::set<std::string> own = {"secret", "shared", "privileged", "socket"};
  std::string added;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (!own.contains(name)) added += name + " ";
  }
  return added;
}

}  // namespace conclave
