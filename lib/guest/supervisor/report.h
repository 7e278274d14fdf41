/* Messages to the host. A host that is gone is noticed by the watchdog, so failures to send are ignored here. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_REPORT_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_REPORT_H_

#include <stdint.h>

#include "lib/sandbox/wire.h"

int64_t monotonic_ns(void);

/* Returns 0 or an errno. */
int report_program(int pidfd);
/* Sent with the next message of another kind; each layer once. */
void report_layer(enum conclave_layer layer, int error, const char* detail);
void report_started(int64_t time_ns, const int32_t* step_us);
void report_failed(enum conclave_step step, int error, const char* what);
void report_ended(enum conclave_cause cause, const struct conclave_end* end);

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_REPORT_H_ */
