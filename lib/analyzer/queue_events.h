// Queue events: a run's wait for its share of the engine's budget, told as events of its job.
//
// Thread safety: the ticket may be used from any thread.
// Ownership: borrows the events, whose address stands for the job.
#ifndef CONCLAVE_LIB_ANALYZER_QUEUE_EVENTS_H_
#define CONCLAVE_LIB_ANALYZER_QUEUE_EVENTS_H_

#include <string>

#include "lib/analyzer/event_stream.h"
#include "lib/sandbox/admission_ticket.h"

namespace conclave {

// A ticket for a run of the job that `events` is of. While the run waits they get "queue" waiting, with the numbers place,
// waiting, waited_us and one of short_memory_bytes, short_disk_bytes, short_processes, short_cpu_thousandths; once it is
// admitted after all "queue" finished with waited_us. `persona` as in Event.
AdmissionTicket TicketOf(EventStream& events, const std::string& persona);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANALYZER_QUEUE_EVENTS_H_
