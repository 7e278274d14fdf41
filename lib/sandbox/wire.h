/* What the host and the supervisor say to each other over one local stream socket. Plain C: both ends include it.
 *
 * The host sends one policy: struct conclave_policy, then `grants` times int32_t, then `text_bytes` bytes of text; the first
 * byte carries the descriptors (SCM_RIGHTS): the private folder, the executable if any, then one per grant. After it the
 * host may send commands. The supervisor sends messages, the last of which is FAILED or ENDED. End-of-file means that the
 * other side is gone. Both ends run on one machine and are built together: fields are in native order, and a version that
 * differs is refused. */
#ifndef CONCLAVE_LIB_SANDBOX_WIRE_H_
#define CONCLAVE_LIB_SANDBOX_WIRE_H_

#include <stdint.h>

#define CONCLAVE_WIRE_MAGIC 0x564c434eu
#define CONCLAVE_WIRE_VERSION 3u

/* Bounds both ends hold the policy to. */
#define CONCLAVE_MAX_GRANTS 240
#define CONCLAVE_MAX_STRINGS 4096
#define CONCLAVE_MAX_TEXT (1u << 20)
#define CONCLAVE_MAX_PROCESSES 1024
#define CONCLAVE_MAX_THREADS 4096
#define CONCLAVE_MAX_READABLE 128
#define CONCLAVE_MAX_LEVEL 3

/* Folders nested deeper than this in the private folder end the run; no honest program comes near. */
#define CONCLAVE_MAX_FOLDER_DEPTH 256

struct conclave_policy {
  uint32_t magic;
  uint32_t version;
  uint32_t size; /* of this struct */
  int32_t host_pid;
  int64_t wall_ns;
  int64_t cpu_ns;
  int64_t deadline_ns; /* on CLOCK_MONOTONIC; 0: none */
  int64_t memory_bytes;
  int64_t data_bytes;    /* RLIMIT_DATA */
  int64_t address_bytes; /* RLIMIT_AS */
  int64_t disk_bytes;
  int64_t disk_inodes;
  int32_t processes;
  int32_t threads;
  int32_t descriptors;
  int32_t required_level; /* of isolation: a run that cannot have it does not take place */
  int32_t preferred_level;
  uint32_t has_executable;
  uint32_t grants;
  uint32_t arguments;
  uint32_t environment;
  uint32_t readable;
  uint32_t links;      /* so many of `readable`, the first, are symbolic links to what is readable anyway */
  uint32_t text_bytes; /* path of the private folder, arguments, environment, readable paths: each ends with NUL */
};

/* What supervisor, init and locked child do, in about this order; FAILED names the step that did not work. */
enum conclave_step {
  CONCLAVE_STEP_POLICY = 1,
  CONCLAVE_STEP_PROC,
  CONCLAVE_STEP_SUBREAPER,
  CONCLAVE_STEP_FOLDER_OWNER,
  CONCLAVE_STEP_CLONE,
  CONCLAVE_STEP_NAMESPACES,
  CONCLAVE_STEP_ID_MAPS,
  CONCLAVE_STEP_MOUNTS,
  CONCLAVE_STEP_SESSION,
  CONCLAVE_STEP_ANNOUNCE,
  CONCLAVE_STEP_RLIMITS,
  CONCLAVE_STEP_FOLDER,
  CONCLAVE_STEP_DESCRIPTORS,
  CONCLAVE_STEP_BOUNDING_SET,
  CONCLAVE_STEP_UID,
  CONCLAVE_STEP_CAPABILITIES,
  CONCLAVE_STEP_NO_NEW_PRIVS,
  CONCLAVE_STEP_PARENT_DEATH,
  CONCLAVE_STEP_FOLDER_REACHABLE,
  CONCLAVE_STEP_PATH_FILTER,
  CONCLAVE_STEP_SYSCALL_FILTER,
  CONCLAVE_STEP_CANARIES,
  CONCLAVE_STEP_SIGNALS,
  CONCLAVE_STEP_EXEC,
  CONCLAVE_STEP_COUNT
};

/* Layers, in the order of the levels of isolation that they belong to. */
enum conclave_layer {
  CONCLAVE_LAYER_RLIMITS = 0,
  CONCLAVE_LAYER_NO_NEW_PRIVS,
  CONCLAVE_LAYER_NO_CAPABILITIES,
  CONCLAVE_LAYER_UNPRIVILEGED_UID,
  CONCLAVE_LAYER_DESCRIPTORS_CLOSED,
  CONCLAVE_LAYER_ENVIRONMENT_CLEAN,
  CONCLAVE_LAYER_PROCESS_LIMIT,
  CONCLAVE_LAYER_SYSCALL_FILTER,
  CONCLAVE_LAYER_PATH_FILTER,
  CONCLAVE_LAYER_SIGNAL_SCOPE,
  CONCLAVE_LAYER_USER_NAMESPACE,
  CONCLAVE_LAYER_PROCESS_NAMESPACE,
  CONCLAVE_LAYER_IPC_NAMESPACE,
  CONCLAVE_LAYER_MOUNT_NAMESPACE,
  CONCLAVE_LAYER_NETWORK_NAMESPACE,
  CONCLAVE_LAYER_COUNT
};

/* The first thing that ended the run. */
enum conclave_cause {
  CONCLAVE_CAUSE_NONE = 0,
  CONCLAVE_CAUSE_EXITED, /* by itself: exit status or signal */
  CONCLAVE_CAUSE_WALL,
  CONCLAVE_CAUSE_CPU,
  CONCLAVE_CAUSE_MEMORY,
  CONCLAVE_CAUSE_DISK_BYTES,
  CONCLAVE_CAUSE_DISK_INODES,
  CONCLAVE_CAUSE_DISK_DEPTH,
  CONCLAVE_CAUSE_PROCESSES,
  CONCLAVE_CAUSE_THREADS,
  CONCLAVE_CAUSE_DEADLINE,
  CONCLAVE_CAUSE_CANCELLED,
  CONCLAVE_CAUSE_OUTPUT,
  CONCLAVE_CAUSE_HOST_GONE
};

enum conclave_message_kind {
  CONCLAVE_MESSAGE_PROGRAM = 1, /* carries a pidfd of the locked child or of the run's init, which leads a process group of its
                                   own; sent before the program runs; not sent on kernels without pidfds; a later one replaces
                                   it */
  CONCLAVE_MESSAGE_LAYER,       /* code: layer; error: 0 when achieved; text: what was tried and what the kernel said */
  CONCLAVE_MESSAGE_STARTED,     /* the program runs; time_ns: since when; step_us: what each step took */
  CONCLAVE_MESSAGE_FAILED,      /* code: step; error: errno; text: on what; the program never ran */
  CONCLAVE_MESSAGE_ENDED        /* code: cause; end; nothing of the tree is left */
};

/* A count of -1 means: could not be measured. */
struct conclave_end {
  int32_t exit_code; /* when signal is 0 */
  int32_t signal;
  int32_t stopped; /* the main process was stopped when the run was ended */
  int32_t processes_peak;
  int32_t threads_peak;
  int32_t processes_left; /* killed after the main process had ended */
  int64_t seen;           /* the value that broke the limit, in the limit's unit */
  int64_t wall_ns;
  int64_t cpu_user_us;
  int64_t cpu_system_us;
  int64_t memory_peak_bytes;
  int64_t address_peak_bytes; /* largest VmPeak */
  int64_t disk_bytes;
  int64_t disk_inodes;
};

struct conclave_message {
  uint32_t kind;
  uint32_t version;
  uint32_t code;
  int32_t error;
  int64_t time_ns; /* CLOCK_MONOTONIC */
  union {
    char text[192]; /* NUL-terminated */
    int32_t step_us[CONCLAVE_STEP_COUNT];
    struct conclave_end end;
  } body;
};

/* Host to supervisor: end the run now for this cause (CANCELLED or OUTPUT). */
struct conclave_command {
  uint32_t cause;
};

#endif /* CONCLAVE_LIB_SANDBOX_WIRE_H_ */
