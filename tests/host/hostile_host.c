/* A host that makes life hard for the library, and wants its answer all the same. Usage: hostile_host CASE
 * CONCLAVE_DATA is the folder of example data; guest programs are found by CONCLAVE_LIBEXEC. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conclave.h"

static FILE* report;

/* Exit code of a case that this machine cannot make. */
enum { kSkip = 77 };

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(report, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      fflush(report);                                                         \
      _exit(1);                                                               \
    }                                                                         \
  } while (0)

static char weather[4096];

static conclave_engine* new_engine(void) {
  conclave_engine* engine = NULL;
  conclave_error* error = NULL;
  if (conclave_engine_create(NULL, &engine, &error) != CONCLAVE_OK) fprintf(report, "%s\n", conclave_error_message(error));
  CHECK(engine != NULL);
  return engine;
}

static void ask(conclave_engine* engine) {
  conclave_result* result = NULL;
  conclave_error* error = NULL;
  if (conclave_ask(engine, weather, "How many days had rain?", &result, &error) != CONCLAVE_OK) {
    fprintf(report, "%s\n", conclave_error_message(error));
  }
  CHECK(result != NULL);
  if (strcmp(conclave_result_answer(result), "641") != 0) fprintf(report, "%s\n", conclave_result_why(result));
  CHECK(strcmp(conclave_result_answer(result), "641") == 0);
  CHECK(conclave_result_outcome(result) == CONCLAVE_SUPPORTED);
  conclave_result_destroy(result);
}

static void ask_once(void) {
  conclave_engine* engine = new_engine();
  ask(engine);
  conclave_engine_destroy(engine);
}

static void ignores_sigchld(void) {
  CHECK(signal(SIGCHLD, SIG_IGN) != SIG_ERR);
  ask_once();
  CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static volatile int stealing = 1;
static void* steal(void* unused) {
  while (stealing) {
    if (waitpid(-1, NULL, WNOHANG) <= 0) usleep(200);
  }
  return unused;
}

static void reaps_everything(void) {
  pthread_t thief;
  CHECK(pthread_create(&thief, NULL, steal, NULL) == 0);
  ask_once();
  stealing = 0;
  CHECK(pthread_join(thief, NULL) == 0);
}

static void blocks_all_signals(void) {
  sigset_t all;
  sigfillset(&all);
  CHECK(sigprocmask(SIG_SETMASK, &all, NULL) == 0);
  CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
  ask_once();
}

static void has_no_standard_streams(void) {
  int descriptor;
  for (descriptor = 0; descriptor < 3; ++descriptor) close(descriptor);
  ask_once();
}

static void may_open_few_files(void) {
  struct rlimit limit;
  conclave_engine* engine = NULL;
  conclave_result* result = NULL;
  conclave_error* error = NULL;
  conclave_code code;
  CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = 16;
  CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  /* Sixteen are not enough for everything: either the answer or an error that names the cause, and never a crash or a hang. */
  code = conclave_engine_create(NULL, &engine, &error);
  if (code == CONCLAVE_OK) code = conclave_ask(engine, weather, "How many days had rain?", &result, &error);
  if (code != CONCLAVE_OK) {
    fprintf(report, "%s\n", conclave_error_message(error));
    CHECK(strstr(conclave_error_message(error), "open files") != NULL ||
          strstr(conclave_error_message(error), "descriptor") != NULL);
  }
  conclave_error_destroy(error);
  conclave_result_destroy(result);
  /* With room it works again, in the same process. */
  limit.rlim_cur = 256;
  CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  if (engine == NULL) engine = new_engine();
  ask(engine);
  conclave_engine_destroy(engine);
}

/* Makes one call fail with `number` for this process and its children. */
static void forbid(long call, int number) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((unsigned)number & SECCOMP_RET_DATA)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof code[0], code};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static void has_no_clone3(void) {
  forbid(SYS_clone3, ENOSYS);
  ask_once();
}

static void has_no_memfd(void) {
  forbid(SYS_memfd_create, EPERM);
  ask_once();
}

/* A /proc of another process namespace than the host's own. */
static void has_a_foreign_proc(void) {
  pid_t child;
  int status = 0;
  if (unshare(CLONE_NEWPID) != 0) exit(kSkip);
  child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    conclave_engine* const engine = new_engine();
    conclave_result* result = NULL;
    conclave_error* error = NULL;
    CHECK(conclave_ask(engine, weather, "How many days had rain?", &result, &error) == CONCLAVE_FAILED_PRECONDITION);
    CHECK(strstr(conclave_error_message(error), "mount /proc") != NULL);
    conclave_error_destroy(error);
    conclave_engine_destroy(engine);
    exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  if (WEXITSTATUS(status) != 0) exit(WEXITSTATUS(status));
}

/* A setting of newer kernels, which holds for a process namespace and needs root. */
static void has_no_executable_memory(void) {
  pid_t child;
  int status = 0;
  if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) exit(kSkip);
  child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    int setting;
    CHECK(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && mount("proc", "/proc", "proc", 0, NULL) == 0);
    setting = open("/proc/sys/vm/memfd_noexec", O_WRONLY | O_CLOEXEC);
    if (setting < 0 || write(setting, "2", 1) != 1) exit(kSkip);
    close(setting);
    ask_once();
    exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  if (WEXITSTATUS(status) != 0) exit(WEXITSTATUS(status));
}

static void has_no_pidfd(void) {
  forbid(SYS_pidfd_open, EPERM);
  ask_once();
}

static void forbids_processes(void) {
  conclave_engine* engine;
  conclave_result* result = NULL;
  conclave_error* error = NULL;
  conclave_code code;
  forbid(SYS_execve, EPERM);
  engine = new_engine();
  code = conclave_ask(engine, weather, "How many days had rain?", &result, &error);
  CHECK(code == CONCLAVE_UNAVAILABLE || code == CONCLAVE_FAILED_PRECONDITION);
  fprintf(report, "%s\n", conclave_error_message(error));
  CHECK(strstr(conclave_error_message(error), "process") != NULL);
  conclave_error_destroy(error);
  conclave_engine_destroy(engine);
}

/* A host that is at home where numbers are written in another way; the locales are made by the build, below LOCPATH. */
static void speaks(const char* locale) {
  static const char kNumber[] = "{\"kind\": \"number\", \"value\": 1.5}";
  static const char kOptions[] = "{\"budget_cpus\": 1.5}";
  static const char kQuestion[] = "What is the average wind by weather?";
  conclave_engine* engine = NULL;
  conclave_result* result = NULL;
  conclave_buffer* buffer = NULL;
  CHECK(setlocale(LC_ALL, locale) != NULL);
  CHECK(strcmp(localeconv()->decimal_point, ".") != 0);
  CHECK(conclave_compare(kNumber, strlen(kNumber), kNumber, strlen(kNumber), NULL, 0, &buffer, NULL) == CONCLAVE_OK);
  CHECK(strstr(conclave_buffer_data(buffer), "true") != NULL);
  conclave_buffer_destroy(buffer);
  CHECK(conclave_engine_create_json(kOptions, strlen(kOptions), &engine, NULL) == CONCLAVE_OK);
  ask(engine);
  CHECK(conclave_ask(engine, weather, kQuestion, &result, NULL) == CONCLAVE_OK);
  CHECK(conclave_result_delivered(result));
  CHECK(strstr(conclave_result_answer(result), "4.41154") != NULL);
  CHECK(conclave_result_encode(result, CONCLAVE_JSON, &buffer, NULL) == CONCLAVE_OK);
  CHECK(strcmp(localeconv()->decimal_point, ".") != 0);
  conclave_buffer_destroy(buffer);
  conclave_result_destroy(result);
  conclave_engine_destroy(engine);
}

static void writes_decimal_commas(void) { speaks("de_DE.UTF-8"); }
static void writes_decimal_points_of_two_bytes(void) { speaks("ps_AF.UTF-8"); }

/* Threads of the library do not live on what the host leaves for its own. */
static void has_tiny_stacks(void) {
  pthread_attr_t attributes;
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setstacksize(&attributes, 64 << 10) == 0);
  CHECK(pthread_setattr_default_np(&attributes) == 0);
  ask_once();
}

static int32_t tell_started(void* pipe_end, const char* event_json, size_t size) {
  (void)size;
  if (strstr(event_json, "\"phase\":\"run\"") != NULL && write(*(int*)pipe_end, "r", 1) != 1) _exit(1);
  return 0;
}

/* Begins a program that never ends and returns once it runs. */
static conclave_job* begin_forever(conclave_engine* engine) {
  static int ends[2];
  static const char kCode[] = "\"language\": \"python\", \"code\": \"df = load()\\nwhile True: pass\\nresult = 1\"";
  char descriptor[8192];
  char byte;
  conclave_job* job = NULL;
  const int size = snprintf(descriptor, sizeof descriptor, "{%s, \"datasets\": [{\"path\": \"%s\"}]}", kCode, weather);
  CHECK(pipe2(ends, O_CLOEXEC) == 0);
  CHECK(conclave_job_create(engine, CONCLAVE_EXECUTION, CONCLAVE_JSON, descriptor, (size_t)size, &job, NULL) == CONCLAVE_OK);
  CHECK(conclave_job_on_event(job, tell_started, &ends[1], NULL, NULL) == CONCLAVE_OK);
  CHECK(conclave_job_submit(job, NULL) == CONCLAVE_OK);
  CHECK(read(ends[0], &byte, 1) == 1);
  return job;
}

static void exits_while_jobs_run(void) {
  begin_forever(new_engine());
  exit(0);
}

static void is_killed_while_jobs_run(void) {
  pid_t child = fork();
  int status = 0;
  CHECK(child >= 0);
  if (child == 0) {
    begin_forever(new_engine());
    raise(SIGKILL);
  }
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void is_large(void) {
  const size_t size = (size_t)2 << 30;
  char* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  memset(memory, 1, size);
  ask_once();
  CHECK(memory[size - 1] == 1);
}

static void keeps_its_own_state(void) {
  static const int kSignals[] = {SIGCHLD, SIGPIPE, SIGTERM, SIGINT, SIGALRM, SIGUSR1};
  struct sigaction action;
  sigset_t mask;
  char folder[4096];
  struct rlimit before, after;
  mode_t mode = umask(027);
  size_t i;
  CHECK(setenv("CONCLAVE_TEST", "1", 1) == 0);
  CHECK(getcwd(folder, sizeof folder) != NULL);
  CHECK(getrlimit(RLIMIT_AS, &before) == 0);
  ask_once();
  for (i = 0; i < sizeof kSignals / sizeof kSignals[0]; ++i) {
    CHECK(sigaction(kSignals[i], NULL, &action) == 0);
    CHECK(action.sa_handler == SIG_DFL);
  }
  CHECK(sigprocmask(SIG_SETMASK, NULL, &mask) == 0);
  CHECK(sigisemptyset(&mask));
  {
    char now[4096];
    CHECK(getcwd(now, sizeof now) != NULL);
    CHECK(strcmp(now, folder) == 0);
  }
  CHECK(umask(mode) == 027);
  CHECK(getrlimit(RLIMIT_AS, &after) == 0);
  CHECK(before.rlim_cur == after.rlim_cur && before.rlim_max == after.rlim_max);
  CHECK(strcmp(getenv("CONCLAVE_TEST"), "1") == 0);
}

static const struct {
  const char* name;
  void (*run)(void);
} kCases[] = {
    {"ignores_sigchld", ignores_sigchld},
    {"reaps_everything", reaps_everything},
    {"blocks_all_signals", blocks_all_signals},
    {"has_no_standard_streams", has_no_standard_streams},
    {"may_open_few_files", may_open_few_files},
    {"has_no_clone3", has_no_clone3},
    {"has_no_memfd", has_no_memfd},
    {"has_no_executable_memory", has_no_executable_memory},
    {"has_a_foreign_proc", has_a_foreign_proc},
    {"has_no_pidfd", has_no_pidfd},
    {"has_tiny_stacks", has_tiny_stacks},
    {"writes_decimal_commas", writes_decimal_commas},
    {"writes_decimal_points_of_two_bytes", writes_decimal_points_of_two_bytes},
    {"forbids_processes", forbids_processes},
    {"exits_while_jobs_run", exits_while_jobs_run},
    {"is_killed_while_jobs_run", is_killed_while_jobs_run},
    {"is_large", is_large},
    {"keeps_its_own_state", keeps_its_own_state},
};

int main(int count, char** arguments) {
  const char* folder = getenv("CONCLAVE_DATA");
  size_t i;
  /* Cases close the standard streams, so what is wrong is said on a copy. */
  const int copy = fcntl(2, F_DUPFD_CLOEXEC, 10);
  report = fdopen(copy, "w");
  if (folder == NULL || report == NULL) return 2;
  setvbuf(report, NULL, _IOLBF, 0);
  snprintf(weather, sizeof weather, "%s/seattle-weather.csv", folder);
  for (i = 0; i < sizeof kCases / sizeof kCases[0]; ++i) {
    if (count == 2 && strcmp(arguments[1], kCases[i].name) == 0) {
      kCases[i].run();
      return 0;
    }
  }
  fprintf(stderr, "usage: hostile_host CASE\n");
  return 2;
}
