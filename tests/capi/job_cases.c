/* Jobs: descriptors, events, waiting, cancelling, threads and fork. */
#define _POSIX_C_SOURCE 200809L

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

static void test_bad_descriptors(void) {
  static const struct {
    int32_t kind;
    int32_t format;
    const char* data;
    const char* part;
  } kBad[] = {
      {0, CONCLAVE_JSON, "{}", "kind: 0"},
      {CONCLAVE_ANALYSIS, 0, "{}", "format: 0"},
      {CONCLAVE_ANALYSIS, CONCLAVE_JSON, "{\"questoin\": \"x\"}", "question"},
      {CONCLAVE_ANALYSIS, CONCLAVE_JSON, "{\"question\": 7}", "question"},
      {CONCLAVE_ANALYSIS, CONCLAVE_JSON, "", ""},
      {CONCLAVE_ANALYSIS, CONCLAVE_PROTO, "\xff\xff\xff", "AnalysisJob"},
  };
  conclave_engine* engine = new_engine();
  size_t i;
  for (i = 0; i < sizeof kBad / sizeof kBad[0]; ++i) {
    conclave_job* job = (conclave_job*)1;
    conclave_error* error = NULL;
    CHECK(conclave_job_create(engine, kBad[i].kind, kBad[i].format, kBad[i].data, strlen(kBad[i].data), &job, &error) ==
          CONCLAVE_INVALID_ARGUMENT);
    CHECK(job == NULL);
    CHECK_HAS(conclave_error_message(error), kBad[i].part);
    conclave_error_destroy(error);
  }
  conclave_engine_destroy(engine);
}

typedef struct {
  int events;
  int finalized;
  int32_t answer;
  char last[2048];
} seen;

/* Two bytes that each stand for an empty dataset: little to send, much to hold. */
static void test_large_descriptors(void) {
  enum { kMost = (4 << 20) + 2 };
  conclave_engine* engine = new_engine();
  conclave_job* job = (conclave_job*)1;
  conclave_error* error = NULL;
  char* bytes = malloc(kMost);
  size_t i;
  CHECK(bytes != NULL);
  for (i = 0; i < kMost; i += 2) {
    bytes[i] = 0x12;
    bytes[i + 1] = 0;
  }
  CHECK(conclave_job_create(engine, CONCLAVE_ANALYSIS, CONCLAVE_PROTO, bytes, kMost, &job, &error) ==
        CONCLAVE_RESOURCE_EXHAUSTED);
  CHECK(job == NULL);
  conclave_error_destroy(error);
  CHECK(conclave_job_create(engine, CONCLAVE_ANALYSIS, CONCLAVE_PROTO, bytes, kMost - 2, &job, &error) ==
        CONCLAVE_INVALID_ARGUMENT);
  CHECK_HAS(conclave_error_message(error), "fields");
  conclave_error_destroy(error);
  free(bytes);
  conclave_engine_destroy(engine);
}

static int32_t on_event(void* user_data, const char* event_json, size_t size) {
  seen* what = user_data;
  ++what->events;
  CHECK(strlen(event_json) == size);
  snprintf(what->last, sizeof what->last, "%s", event_json);
  return what->answer;
}

static void finalize(void* user_data) { ++((seen*)user_data)->finalized; }

static void test_job(void) {
  seen first = {0, 0, 0, ""};
  seen second = {0, 0, 0, ""};
  conclave_engine* engine = new_engine();
  conclave_job* job = new_job(engine, CONCLAVE_ANALYSIS, kRain);
  conclave_result* result = NULL;
  conclave_error* error = NULL;
  struct pollfd ended;

  CHECK(conclave_job_wait(job, 0, NULL) == CONCLAVE_FAILED_PRECONDITION);
  CHECK(conclave_job_result(job, &result, &error) == CONCLAVE_FAILED_PRECONDITION);
  CHECK_HAS(conclave_error_message(error), "wait for it first");
  conclave_error_destroy(error);
  CHECK(conclave_job_on_event(job, NULL, &second, finalize, NULL) == CONCLAVE_INVALID_ARGUMENT);
  CHECK(second.finalized == 1);
  CHECK(conclave_job_on_event(job, on_event, &first, finalize, NULL) == CONCLAVE_OK);
  CHECK(conclave_job_on_event(job, on_event, &second, finalize, NULL) == CONCLAVE_ALREADY_EXISTS);
  CHECK(second.finalized == 2);

  conclave_engine_destroy(engine); /* jobs keep what they need */
  CHECK(conclave_job_submit(job, &error) == CONCLAVE_OK);
  CHECK(conclave_job_submit(job, &error) == CONCLAVE_FAILED_PRECONDITION);
  conclave_error_destroy(error);
  ended.fd = conclave_job_descriptor(job);
  ended.events = POLLIN;
  CHECK(poll(&ended, 1, 60000) == 1);
  CHECK(conclave_job_wait(job, 0, NULL) == CONCLAVE_OK);
  CHECK(conclave_job_wait(job, -1, NULL) == CONCLAVE_OK);
  CHECK(conclave_job_result(job, &result, &error) == CONCLAVE_OK);
  CHECK_TEXT(conclave_result_answer(result), "641");
  CHECK(first.events > 5);
  CHECK_HAS(first.last, "\"phase\":\"done\"");
  CHECK(first.finalized == 1); /* with the end of the job, not of its handle */
  conclave_job_destroy(job);
  CHECK(first.finalized == 1);
  conclave_result_destroy(result);
}

/* The result of a job that was not begun yet. */
static conclave_result* run_to_end(conclave_job* job) {
  conclave_result* result = NULL;
  CHECK(conclave_job_submit(job, NULL) == CONCLAVE_OK);
  CHECK(conclave_job_wait(job, 60000, NULL) == CONCLAVE_OK);
  CHECK(conclave_job_result(job, &result, NULL) == CONCLAVE_OK);
  return result;
}

static void test_other_kinds(void) {
  conclave_engine* engine = new_engine();
  conclave_job* job = new_job(engine, CONCLAVE_PROFILE, "");
  conclave_result* result = NULL;
  conclave_buffer* buffer = NULL;
  result = run_to_end(job);
  CHECK(conclave_result_outcome(result) == CONCLAVE_OUTCOME_UNSPECIFIED);
  CHECK(conclave_result_encode(result, CONCLAVE_JSON, &buffer, NULL) == CONCLAVE_OK);
  CHECK_HAS(conclave_buffer_data(buffer), "{\"profiles\":[{");
  CHECK_HAS(conclave_buffer_data(buffer), "\"rows\":1461");
  conclave_buffer_destroy(buffer);
  conclave_result_destroy(result);
  conclave_job_destroy(job);

  job = new_job(engine, CONCLAVE_EXECUTION, "\"language\": \"sql\", \"code\": \"SELECT count(*) FROM seattle_weather\",");
  result = run_to_end(job);
  CHECK(conclave_result_encode(result, CONCLAVE_JSON, &buffer, NULL) == CONCLAVE_OK);
  CHECK_HAS(conclave_buffer_data(buffer), "\"end_reason\":\"ok\"");
  CHECK(conclave_result_delivered(result) == 1);
  CHECK_TEXT(conclave_result_answer(result), "1461");
  CHECK_TEXT(conclave_result_why(result), "");
  conclave_buffer_destroy(buffer);
  conclave_result_destroy(result);
  conclave_job_destroy(job);

  /* A program that fails, and one that answers with the text of a failure. */
  job = new_job(engine, CONCLAVE_EXECUTION, "\"language\": \"sql\", \"code\": \"SELECT nope FROM seattle_weather\",");
  result = run_to_end(job);
  CHECK(conclave_result_delivered(result) == 0);
  CHECK_TEXT(conclave_result_answer(result), "");
  CHECK_HAS(conclave_result_why(result), "no such column: nope");
  conclave_result_destroy(result);
  conclave_job_destroy(job);
  job = new_job(engine, CONCLAVE_EXECUTION,
                "\"language\": \"sql\", \"code\": \"SELECT DISTINCT 'SqlError: no such column: nope' FROM seattle_weather\",");
  result = run_to_end(job);
  CHECK(conclave_result_delivered(result) == 1);
  CHECK_TEXT(conclave_result_answer(result), "SqlError: no such column: nope");
  conclave_result_destroy(result);
  conclave_job_destroy(job);

  /* A program that is killed. */
  job = new_job(engine, CONCLAVE_EXECUTION,
                "\"context\": {\"run_limits\": {\"wall_ms\": 1500}},"
                "\"language\": \"python\", \"code\": \"df = load()\\nwhile True: pass\\nresult = 1\",");
  result = run_to_end(job);
  CHECK(conclave_result_delivered(result) == 0);
  CHECK_HAS(conclave_result_why(result), "1.5");
  conclave_result_destroy(result);
  conclave_job_destroy(job);
  conclave_engine_destroy(engine);
}

static void test_cancel(void) {
  seen what = {0, 0, 1, ""};
  conclave_engine* engine = new_engine();
  conclave_job* job = new_job(engine, CONCLAVE_EXECUTION, kForever);
  conclave_error* error = NULL;
  CHECK(conclave_job_submit(job, NULL) == CONCLAVE_OK);
  CHECK(conclave_job_wait(job, 50, &error) == CONCLAVE_DEADLINE_EXCEEDED);
  CHECK_HAS(conclave_error_message(error), "goes on");
  conclave_error_destroy(error);
  conclave_job_cancel(job);
  conclave_job_cancel(job);
  check_cancelled(job);
  conclave_job_destroy(job);

  /* The event callback asks for it. */
  job = new_job(engine, CONCLAVE_EXECUTION, kForever);
  CHECK(conclave_job_on_event(job, on_event, &what, finalize, NULL) == CONCLAVE_OK);
  CHECK(conclave_job_submit(job, NULL) == CONCLAVE_OK);
  check_cancelled(job);
  conclave_job_destroy(job);
  CHECK(what.finalized == 1);

  /* Destroying does it too, also before the job was begun. */
  job = new_job(engine, CONCLAVE_EXECUTION, kForever);
  CHECK(conclave_job_submit(job, NULL) == CONCLAVE_OK);
  conclave_job_destroy(job);
  conclave_job_destroy(new_job(engine, CONCLAVE_EXECUTION, kForever));
  conclave_engine_destroy(engine);
}

/* What a callback does to its own job, and whether it was let go of. */
typedef struct {
  conclave_job* job;
  conclave_engine* engine;
  int waited;
  int events_after;
  int finalized;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
} rash;

static int32_t destroy_own_job(void* user_data, const char* event_json, size_t size) {
  rash* self = user_data;
  (void)event_json;
  (void)size;
  pthread_mutex_lock(&self->mutex);
  if (self->job == NULL) {
    ++self->events_after;
  } else {
    self->waited = conclave_job_wait(self->job, -1, NULL) == CONCLAVE_FAILED_PRECONDITION;
    conclave_job_destroy(self->job);
    conclave_engine_destroy(self->engine);
    self->job = NULL;
  }
  pthread_mutex_unlock(&self->mutex);
  return 0;
}

static void finalize_rash(void* user_data) {
  rash* self = user_data;
  pthread_mutex_lock(&self->mutex);
  ++self->finalized;
  pthread_cond_broadcast(&self->changed);
  pthread_mutex_unlock(&self->mutex);
}

static void test_destroy_in_callback(void) {
  rash self = {NULL, NULL, 0, 0, 0, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
  conclave_job* job;
  self.engine = new_engine();
  job = new_job(self.engine, CONCLAVE_EXECUTION, kForever);
  self.job = job;
  CHECK(conclave_job_on_event(job, destroy_own_job, &self, finalize_rash, NULL) == CONCLAVE_OK);
  pthread_mutex_lock(&self.mutex); /* so that no event comes before submit has returned */
  CHECK(conclave_job_submit(job, NULL) == CONCLAVE_OK);
  while (self.finalized == 0) pthread_cond_wait(&self.changed, &self.mutex);
  CHECK(self.waited);
  CHECK(self.finalized == 1);
  CHECK(self.events_after == 0);
  pthread_mutex_unlock(&self.mutex);
}

/* An engine that goes while a call on it does not. */
static void* destroy_later(void* engine) {
  const struct timespec soon = {0, 100 * 1000 * 1000};
  nanosleep(&soon, NULL);
  conclave_engine_destroy(engine);
  return NULL;
}

static void test_destroy_during_ask(void) {
  pthread_t thread;
  conclave_engine* engine = new_engine();
  conclave_result* result = NULL;
  CHECK(pthread_create(&thread, NULL, destroy_later, engine) == 0);
  CHECK(conclave_ask(engine, data_file("seattle-weather.csv"), "How many days had rain?", &result, NULL) == CONCLAVE_OK);
  CHECK_TEXT(conclave_result_answer(result), "641");
  conclave_result_destroy(result);
  CHECK(pthread_join(thread, NULL) == 0);
}

static void* wait_in_thread(void* job) {
  CHECK(conclave_job_wait(job, -1, NULL) == CONCLAVE_OK);
  return NULL;
}

static void test_threads(void) {
  enum { kThreads = 4 };
  pthread_t threads[kThreads];
  conclave_engine* engine = new_engine();
  conclave_job* job = new_job(engine, CONCLAVE_ANALYSIS, kRain);
  int i;
  CHECK(conclave_job_submit(job, NULL) == CONCLAVE_OK);
  for (i = 0; i < kThreads; ++i) CHECK(pthread_create(&threads[i], NULL, wait_in_thread, job) == 0);
  for (i = 0; i < kThreads; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  conclave_job_destroy(job);
  conclave_engine_destroy(engine);
}

/* Reads and refuses descriptors until it is told to stop. */
static void* convert(void* stop) {
  static const char kUnknown[] = "{\"datasets\": [{\"path\": \"a\"}, {\"file\": \"b\"}]}";
  conclave_engine* engine = new_engine();
  while (!__atomic_load_n((int*)stop, __ATOMIC_RELAXED)) {
    conclave_job* job = NULL;
    CHECK(conclave_job_create(engine, CONCLAVE_PROFILE, CONCLAVE_JSON, kUnknown, strlen(kUnknown), &job, NULL) ==
          CONCLAVE_INVALID_ARGUMENT);
  }
  conclave_engine_destroy(engine);
  return NULL;
}

/* What the parent's threads were in the middle of is nothing that a child has to wait for. */
static void test_fork_while_others_read(void) {
  pthread_t threads[2];
  int stop = 0;
  int i;
  for (i = 0; i < 2; ++i) CHECK(pthread_create(&threads[i], NULL, convert, &stop) == 0);
  for (i = 0; i < 40; ++i) {
    int status = 0;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      conclave_engine* engine;
      alarm(60);
      engine = new_engine();
      conclave_job_destroy(new_job(engine, CONCLAVE_ANALYSIS, kRain));
      conclave_engine_destroy(engine);
      _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  for (i = 0; i < 2; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
}

static void test_fork(void) {
  conclave_engine* engine = new_engine();
  conclave_job* job = new_job(engine, CONCLAVE_EXECUTION, kForever);
  pid_t child;
  int status = 0;
  CHECK(conclave_job_submit(job, NULL) == CONCLAVE_OK);
  child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    conclave_error* error = NULL;
    conclave_result* result = NULL;
    CHECK(conclave_ask(engine, "x.csv", "How many rows?", &result, &error) == CONCLAVE_FAILED_PRECONDITION);
    CHECK_HAS(conclave_error_message(error), "after fork()");
    conclave_error_destroy(error);
    CHECK(conclave_job_wait(job, -1, NULL) == CONCLAVE_FAILED_PRECONDITION);
    conclave_job_cancel(job);
    conclave_job_destroy(job);
    conclave_engine_destroy(engine);
    conclave_engine_destroy(new_engine());
    exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  /* The child did nothing to the parent's job. */
  CHECK(conclave_job_wait(job, 200, NULL) == CONCLAVE_DEADLINE_EXCEEDED);
  conclave_job_destroy(job);
  conclave_engine_destroy(engine);
}

const test_case kJobCases[] = {
    {"bad_descriptors", test_bad_descriptors},
    {"job", test_job},
    {"other_kinds", test_other_kinds},
    {"cancel", test_cancel},
    {"large_descriptors", test_large_descriptors},
    {"destroy_in_callback", test_destroy_in_callback},
    {"destroy_during_ask", test_destroy_during_ask},
    {"threads", test_threads},
    {"fork", test_fork},
    {"fork_while_others_read", test_fork_while_others_read},
    {NULL, NULL},
};
