// AdmissionTicket: for which job a run wants a share of the engine's budget, and who hears how it goes while it waits.
//
// Thread safety: value types.
// Ownership: keeps its function; the job's address is never looked at, only compared.
#ifndef CONCLAVE_LIB_SANDBOX_ADMISSION_TICKET_H_
#define CONCLAVE_LIB_SANDBOX_ADMISSION_TICKET_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/time/time.h"

namespace conclave {

// How a run that does not fit yet stands.
struct QueueStanding {
  bool admitted = false;  // at last; then only `waited` counts
  size_t place = 0;       // 1: the next one. An estimate: jobs that come or end later change it.
  size_t waiting = 0;     // runs that wait, this one included
  std::string short_of;   // what has to come free first: "memory", "disk", "processes" or "cpu"
  int64_t lacking = 0;    // how much of it: bytes, processes, or thousandths of a CPU
  absl::Duration waited;
};

struct AdmissionTicket {
  // Any address that is the job's own as long as one of its runs waits or runs. Runs without one are together one job.
  const void* job = nullptr;
  // Called on the thread that waits: when the wait begins, at most twice a second when the standing has changed, and once when
  // the run is admitted. Never for a run that is admitted at once. It should not take long: the share is held meanwhile.
  std::function<void(const QueueStanding&)> watch;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_SANDBOX_ADMISSION_TICKET_H_
