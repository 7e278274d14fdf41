#include "lib/analyzer/queue_events.h"

#include "absl/strings/str_cat.h"

namespace conclave {
namespace {

std::string NumberOf(const std::string& short_of) {
  if (short_of == "processes") return "short_processes";
  return absl::StrCat("short_", short_of, short_of == "cpu" ? "_thousandths" : "_bytes");
}

}  // namespace

AdmissionTicket TicketOf(EventStream& events, const std::string& persona) {
  AdmissionTicket ticket;
  ticket.job = &events;
  ticket.watch = [&events, persona](const QueueStanding& standing) {
    if (standing.admitted) {
      events.Emit({"queue", persona, "finished", "", {{"waited_us", absl::ToInt64Microseconds(standing.waited)}}});
      return;
    }
    events.Emit({"queue",
                 persona,
                 "waiting",
                 absl::StrCat("short of ", standing.short_of, ", place ", standing.place, " of ", standing.waiting),
                 {{"place", static_cast<int64_t>(standing.place)},
                  {"waiting", static_cast<int64_t>(standing.waiting)},
                  {"waited_us", absl::ToInt64Microseconds(standing.waited)},
                  {NumberOf(standing.short_of), standing.lacking}}});
  };
  return ticket;
}

}  // namespace conclave
