// The `conclave` command: gives the commands the real terminal, environment, signals and engine.
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conclave/cancellation.h"
#include "conclave/engine.h"
#include "lib/base/descriptor.h"
#include "lib/engine/examination.h"
#include "tools/conclave/commands.h"
#include "tools/conclave/interrupts.h"
#include "tools/conclave/surroundings.h"

namespace conclave::cli {
namespace {

std::optional<std::string> Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// Columns of the terminal behind `fd`; 0 when there is none.
int TerminalWidth(int fd) {
  if (::isatty(fd) == 0) return 0;
  winsize size = {};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

View ViewOf(int fd) {
  const int width = TerminalWidth(fd);
  const std::optional<std::string> no_colour = Environment("NO_COLOR");
  const bool colour = width > 0 && (!no_colour || no_colour->empty()) && Environment("TERM").value_or("dumb") != "dumb";
  return {colour, width};
}

// Writes to standard output. A reader that reads nothing must not keep the command from being ended, so each piece is one that
// a pipe with room takes whole.
absl::Status WriteResult(const Cancellation& cancellation, std::string_view text) {
  while (!text.empty()) {
    pollfd waits[] = {{STDOUT_FILENO, POLLOUT, 0}, {cancellation.descriptor(), POLLIN, 0}};
    if (::poll(waits, 2, -1) < 0 && errno != EINTR) return ErrnoStatus(errno, "standard output: cannot wait");
    if (cancellation.cancelled()) return absl::CancelledError("cancelled: the result is incomplete");
    if (waits[0].revents == 0) continue;
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), std::min<size_t>(text.size(), PIPE_BUF));
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EPIPE) {
      return absl::AbortedError("standard output was closed by its reader");
    } else if (errno != EINTR) {
      return absl::UnknownError(absl::StrCat("standard output: ", std::string(ErrnoStatus(errno, "cannot write").message()),
                                             ": the result is incomplete"));
    }
  }
  return absl::OkStatus();
}

// A descriptor that was closed before the start would be given to the next file opened, and that file would get the output.
// True when standard output was there.
bool HoldStandardStreams() {
  const bool output = ::fcntl(STDOUT_FILENO, F_GETFD) >= 0;
  int fd = ::open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO) fd = ::open("/dev/null", O_RDWR);
  if (fd >= 0) ::close(fd);
  return output;
}

int Main(int argc, char** argv) {
  const bool output = HoldStandardStreams();
  // A write beyond the limit on file sizes is an error like a full disk. Programs in the sandbox start with every signal at its
  // default.
  std::signal(SIGXFSZ, SIG_IGN);
  CancellationSource source;
  const Interrupts interrupts(source);
  Surroundings surroundings;
  surroundings.write_result = [token = source.token(), output](std::string_view text) {
    return output ? WriteResult(token, text) : absl::UnknownError("standard output is closed: the result was not given");
  };
  surroundings.write_error = [](std::string_view text) { (void)WriteAll(STDERR_FILENO, text); };
  surroundings.standard_input = STDIN_FILENO;
  surroundings.result_view = ViewOf(STDOUT_FILENO);
  surroundings.error_view = ViewOf(STDERR_FILENO);
  surroundings.error_width = [] { return TerminalWidth(STDERR_FILENO); };
  surroundings.environment = Environment;
  surroundings.create_engine = Engine::Create;
  surroundings.examine_machine = ExamineMachine;
  surroundings.cancellation = source.token();
  return RunConclave(std::vector<std::string>(argv + 1, argv + argc), surroundings);
}

}  // namespace
}  // namespace conclave::cli

int main(int argc, char** argv) { return argc < 1 ? 2 : conclave::cli::Main(argc, argv); }
