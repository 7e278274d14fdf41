#include "lib/guest/supervisor/policy.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/guest/supervisor/prefault.h"

static char text[CONCLAVE_MAX_TEXT] __attribute__((aligned(PREFAULT_PAGE)));

/* Reads exactly `size` bytes; ECONNRESET when the host is gone. */
static int read_whole(void* out, size_t size) {
  char* at = out;
  while (size > 0) {
    const ssize_t count = read(CHANNEL, at, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return ECONNRESET;
    at += count;
    size -= (size_t)count;
  }
  return 0;
}

/* Reads the struct itself; the descriptors ride on its first byte. */
static int receive_first(struct conclave_policy* limits, int* descriptors, uint32_t* descriptor_count) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * (CONCLAVE_MAX_GRANTS + 2))];
  } control;
  struct iovec part = {limits, sizeof *limits};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  ssize_t count;
  do {
    count = recvmsg(CHANNEL, &message, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return errno;
  if (count == 0) return ECONNRESET;
  /* The kernel drops descriptors that do not fit this process's RLIMIT_NOFILE. */
  if (message.msg_flags & MSG_CTRUNC) return EMFILE;
  const struct cmsghdr* header = CMSG_FIRSTHDR(&message);
  *descriptor_count = 0;
  if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
    *descriptor_count = (uint32_t)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(descriptors, CMSG_DATA(header), *descriptor_count * sizeof(int));
  }
  return read_whole((char*)limits + count, sizeof *limits - (size_t)count);
}

static int limits_make_sense(const struct conclave_policy* limits) {
  return limits->wall_ns > 0 && limits->cpu_ns > 0 && limits->deadline_ns >= 0 && limits->memory_bytes > 0 &&
         limits->data_bytes >= limits->memory_bytes && limits->address_bytes >= limits->data_bytes && limits->disk_bytes > 0 &&
         limits->disk_inodes > 0 && limits->processes > 0 && limits->processes <= CONCLAVE_MAX_PROCESSES &&
         limits->threads >= limits->processes && limits->threads <= CONCLAVE_MAX_THREADS && limits->descriptors > 0 &&
         limits->required_level >= 0 && limits->required_level <= limits->preferred_level &&
         limits->preferred_level <= CONCLAVE_MAX_LEVEL;
}

/* The next string of `text`, or NULL when there is none left. */
static char* next_string(char** at, const char* end) {
  if (*at >= end) return NULL;
  char* const string = *at;
  *at += strlen(string) + 1; /* the last byte was checked to be NUL */
  return string;
}

static int split_text(struct policy* policy) {
  const struct conclave_policy* limits = &policy->limits;
  if (text[limits->text_bytes - 1] != '\0') return EBADMSG;
  char* at = text;
  const char* const end = text + limits->text_bytes;
  policy->folder_path = next_string(&at, end);
  for (uint32_t i = 0; i < limits->arguments; ++i) policy->arguments[i] = next_string(&at, end);
  for (uint32_t i = 0; i < limits->environment; ++i) policy->environment[i] = next_string(&at, end);
  for (uint32_t i = 0; i < limits->readable; ++i) policy->readable[i] = next_string(&at, end);
  const int complete = policy->folder_path != NULL && policy->arguments[limits->arguments - 1] != NULL &&
                       (limits->environment == 0 || policy->environment[limits->environment - 1] != NULL) &&
                       (limits->readable == 0 || policy->readable[limits->readable - 1] != NULL);
  return complete && at == end ? 0 : EBADMSG;
}

/* Sorts the grants by target, so that the gaps between them can be closed in one pass; refuses a target given twice. */
static int order_grants(struct policy* policy) {
  for (uint32_t i = 1; i < policy->limits.grants; ++i) {
    const int source = policy->grant_source[i];
    const int32_t target = policy->grant_target[i];
    uint32_t j = i;
    for (; j > 0 && policy->grant_target[j - 1] > target; --j) {
      policy->grant_source[j] = policy->grant_source[j - 1];
      policy->grant_target[j] = policy->grant_target[j - 1];
    }
    policy->grant_source[j] = source;
    policy->grant_target[j] = target;
  }
  for (uint32_t i = 0; i < policy->limits.grants; ++i) {
    if (policy->grant_target[i] < 0 || policy->grant_target[i] >= policy->limits.descriptors) return EBADF;
    if (i > 0 && policy->grant_target[i] == policy->grant_target[i - 1]) return EBADF;
  }
  return 0;
}

int policy_receive(struct policy* policy, const char** what) {
  int descriptors[CONCLAVE_MAX_GRANTS + 2];
  uint32_t count = 0;
  struct conclave_policy* const limits = &policy->limits;
  prefault(policy, 1);
  prefault(policy->environment, 1);
  prefault(text, 1);

  *what = "descriptors";
  int error = receive_first(limits, descriptors, &count);
  if (error != 0) return error;
  *what = "version";
  if (limits->magic != CONCLAVE_WIRE_MAGIC || limits->version != CONCLAVE_WIRE_VERSION || limits->size != sizeof *limits) {
    return EPROTO;
  }
  *what = "limits";
  if (!limits_make_sense(limits)) return EINVAL;
  *what = "counts";
  const uint32_t fixed = limits->has_executable ? 2u : 1u;
  if (limits->grants > CONCLAVE_MAX_GRANTS || limits->arguments == 0 || limits->arguments > CONCLAVE_MAX_STRINGS ||
      limits->environment > CONCLAVE_MAX_STRINGS || limits->readable > CONCLAVE_MAX_READABLE ||
      limits->links > limits->readable || limits->text_bytes == 0 || limits->text_bytes > CONCLAVE_MAX_TEXT ||
      count != fixed + limits->grants) {
    return EINVAL;
  }
  policy->folder = descriptors[0];
  policy->executable = limits->has_executable ? descriptors[1] : -1;
  memcpy(policy->grant_source, descriptors + fixed, limits->grants * sizeof(int));

  *what = "grants";
  error = read_whole(policy->grant_target, limits->grants * sizeof(int32_t));
  if (error == 0) error = order_grants(policy);
  if (error != 0) return error;
  *what = "text";
  error = read_whole(text, limits->text_bytes);
  return error != 0 ? error : split_text(policy);
}
