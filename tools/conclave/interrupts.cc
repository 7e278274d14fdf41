#include "tools/conclave/interrupts.h"

#include <cerrno>
#include <optional>

namespace conclave::cli {
namespace {

// Signal handlers take no argument of ours, so this is the one place with state of the whole process.
std::optional<CancellationSource> cancelled_by_signals;

void OnInterrupt(int) {
  const int saved = errno;
  cancelled_by_signals->Cancel();
  errno = saved;
}

// Not SIG_IGN: that would be inherited by every program started from here.
void OnBrokenPipe(int) {}

}  // namespace

Interrupts::Interrupts(const CancellationSource& source) {
  cancelled_by_signals = source;
  const auto handle = [this](int signal, void (*handler)(int)) {
    struct sigaction former;
    if (::sigaction(signal, nullptr, &former) != 0 || former.sa_handler == SIG_IGN) return;
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    if (::sigaction(signal, &action, nullptr) == 0) former_.emplace_back(signal, former);
  };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, OnInterrupt);
  handle(SIGPIPE, OnBrokenPipe);
}

Interrupts::~Interrupts() {
  for (const auto& [signal, action] : former_) ::sigaction(signal, &action, nullptr);
  cancelled_by_signals.reset();
}

}  // namespace conclave::cli
