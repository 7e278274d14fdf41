// Interrupts: turns the signals by which a person or a system ends a command into a cancellation.
//
// Thread safety: make one at a time, in the main thread.
// Ownership: keeps a copy of the source; puts the former signal actions back when it goes.
#ifndef CONCLAVE_TOOLS_CONCLAVE_INTERRUPTS_H_
#define CONCLAVE_TOOLS_CONCLAVE_INTERRUPTS_H_

#include <csignal>
#include <utility>
#include <vector>

#include "conclave/cancellation.h"

namespace conclave::cli {

class Interrupts {
 public:
  // SIGINT, SIGTERM and SIGHUP cancel from now on, however often they come, unless they were ignored (nohup, background jobs
  // of a script). SIGPIPE becomes the error of the write; programs started from here get its default action back.
  explicit Interrupts(const CancellationSource& source);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

 private:
  std::vector<std::pair<int, struct sigaction>> former_;
};

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_INTERRUPTS_H_
