/* The policy as the supervisor holds it: received once, checked, then only read. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_POLICY_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_POLICY_H_

#include <stdint.h>

#include "lib/sandbox/wire.h"

/* Where the host put the socket. */
enum { CHANNEL = 3 };

struct policy {
  struct conclave_policy limits;
  int folder;     /* the private folder, open */
  int executable; /* open program, or -1 */
  int grant_source[CONCLAVE_MAX_GRANTS];
  int32_t grant_target[CONCLAVE_MAX_GRANTS]; /* ascending */
  const char* folder_path;
  char* arguments[CONCLAVE_MAX_STRINGS + 1];
  char* environment[CONCLAVE_MAX_STRINGS + 1];
  const char* readable[CONCLAVE_MAX_READABLE];
};

/* Reads the policy from CHANNEL. Returns 0, or an errno with `*what` set to the part that was wrong. */
int policy_receive(struct policy* policy, const char** what);

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_POLICY_H_ */
