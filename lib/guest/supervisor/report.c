#include "lib/guest/supervisor/report.h"

#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "lib/guest/supervisor/policy.h"

int64_t monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* All messages of a run together fit the socket's buffer, so this never blocks on a host that does not read. */
static void send_message(struct conclave_message* message) {
  message->version = CONCLAVE_WIRE_VERSION;
  if (message->time_ns == 0) message->time_ns = monotonic_ns();
  const char* at = (const char*)message;
  size_t left = sizeof *message;
  while (left > 0) {
    const ssize_t sent = send(CHANNEL, at, left, MSG_NOSIGNAL);
    if (sent <= 0) return;
    at += sent;
    left -= (size_t)sent;
  }
}

static void set_text(struct conclave_message* message, const char* text) {
  strncpy(message->body.text, text, sizeof message->body.text - 1);
}

void report_layer(enum conclave_layer layer, int error, const char* detail) {
  struct conclave_message message = {.kind = CONCLAVE_MESSAGE_LAYER, .code = layer, .error = error};
  set_text(&message, detail);
  send_message(&message);
}

void report_started(int64_t time_ns) {
  struct conclave_message message = {.kind = CONCLAVE_MESSAGE_STARTED, .time_ns = time_ns};
  send_message(&message);
}

void report_failed(enum conclave_step step, int error, const char* what) {
  struct conclave_message message = {.kind = CONCLAVE_MESSAGE_FAILED, .code = step, .error = error};
  set_text(&message, what);
  send_message(&message);
}

void report_ended(enum conclave_cause cause, const struct conclave_end* end) {
  struct conclave_message message = {.kind = CONCLAVE_MESSAGE_ENDED, .code = cause};
  message.body.end = *end;
  send_message(&message);
}
