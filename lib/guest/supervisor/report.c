#include "lib/guest/supervisor/report.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/guest/supervisor/policy.h"

int64_t monotonic_ns(void) {
  struct timespec now;
  /* Not by the C library: the first use of the vDSO in a process costs more faults than all calls of a run cost time. */
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Layers wait here for the message after them: each send wakes the host. */
static struct {
  struct conclave_message messages[CONCLAVE_LAYER_COUNT + 1];
  int count;
} pending;

/* All messages of a run together fit the socket's buffer, so this never blocks on a host that does not read. */
static void send_pending(void) {
  const char* at = (const char*)pending.messages;
  size_t left = (size_t)pending.count * sizeof pending.messages[0];
  pending.count = 0;
  while (left > 0) {
    const ssize_t sent = send(CHANNEL, at, left, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    at += sent;
    left -= (size_t)sent;
  }
}

static void add_message(struct conclave_message* message) {
  message->version = CONCLAVE_WIRE_VERSION;
  if (message->time_ns == 0) message->time_ns = monotonic_ns();
  pending.messages[pending.count++] = *message;
}

static void send_message(struct conclave_message* message) {
  add_message(message);
  send_pending();
}

int report_program(int pidfd) {
  struct conclave_message message = {
      .kind = CONCLAVE_MESSAGE_PROGRAM, .version = CONCLAVE_WIRE_VERSION, .time_ns = monotonic_ns()};
  struct iovec part = {&message, sizeof message};
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
  } control;
  memset(&control, 0, sizeof control);
  struct msghdr envelope;
  memset(&envelope, 0, sizeof envelope);
  envelope.msg_iov = &part;
  envelope.msg_iovlen = 1;
  envelope.msg_control = control.bytes;
  envelope.msg_controllen = sizeof control.bytes;
  struct cmsghdr* const header = CMSG_FIRSTHDR(&envelope);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &pidfd, sizeof pidfd);
  const ssize_t sent = sendmsg(CHANNEL, &envelope, MSG_NOSIGNAL); /* the first message: there is room for all of it */
  if (sent < 0) return errno;
  return sent == (ssize_t)sizeof message ? 0 : EIO;
}

static void set_text(struct conclave_message* message, const char* text) {
  strncpy(message->body.text, text, sizeof message->body.text - 1);
}

void report_layer(enum conclave_layer layer, int error, const char* detail) {
  struct conclave_message message = {.kind = CONCLAVE_MESSAGE_LAYER, .code = layer, .error = error};
  set_text(&message, detail);
  add_message(&message);
}

void report_started(int64_t time_ns, const int32_t* step_us) {
  struct conclave_message message = {.kind = CONCLAVE_MESSAGE_STARTED, .time_ns = time_ns};
  memcpy(message.body.step_us, step_us, sizeof message.body.step_us);
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
