/* Included before the supervisor's sources: takes the place of its raw_call.h, so that those calls can fail as well. */
#define CONCLAVE_LIB_GUEST_SUPERVISOR_RAW_CALL_H_
long raw_call(long number, long a, long b, long c, long d);
