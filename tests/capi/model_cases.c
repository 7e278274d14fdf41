/* Models that the host speaks for. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

typedef struct {
  const char* reply; /* NULL: never */
  int requests;
  int finalized;
  uint64_t last_token;
  pthread_mutex_t mutex;
  const char* refused; /* a reply that is none */
} model;

static void on_request(void* user_data, uint64_t token, const char* request_json, size_t size) {
  model* self = user_data;
  const int sql = strstr(request_json, "tagged sql") != NULL;
  char reply[2048];
  CHECK(strlen(request_json) == size);
  CHECK_HAS(request_json, "How many days had rain?");
  CHECK_HAS(request_json, "seattle_weather");
  CHECK_HAS(request_json, sql ? "\"language\":\"sql\"" : "\"language\":\"python\"");
  CHECK(conclave_model_wanted(token) == 1);
  pthread_mutex_lock(&self->mutex);
  ++self->requests;
  self->last_token = token;
  pthread_mutex_unlock(&self->mutex);
  if (self->refused != NULL) {
    CHECK(conclave_model_reply(token, self->refused, strlen(self->refused), NULL) == CONCLAVE_INVALID_ARGUMENT);
  }
  if (self->reply == NULL) return;
  snprintf(reply, sizeof reply, self->reply, sql ? "sql" : "python",
           sql ? "SELECT count(*) FROM seattle_weather WHERE weather = 'rain'"
               : "result = int((load()['weather'] == 'rain').sum())");
  CHECK(conclave_model_reply(token, reply, strlen(reply), NULL) == CONCLAVE_OK);
}

static void finalize_model(void* user_data) { ++((model*)user_data)->finalized; }

static const char kReply[] = "{\"text\": \"```json\\n{\\\"reading\\\": \\\"Days with rain\\\"}\\n```\\n```%s\\n%s\\n```\"}";

/* A child replies to its own requests; those of its parent are none of its business. */
static void test_model_after_fork(uint64_t token_of_parent) {
  int status = 0;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    model good = {kReply, 0, 0, 0, PTHREAD_MUTEX_INITIALIZER, NULL};
    conclave_engine* engine = new_engine();
    conclave_result* result = NULL;
    CHECK(conclave_model_reply(token_of_parent, "{\"text\": \"\"}", 12, NULL) == CONCLAVE_OK);
    CHECK(conclave_engine_add_model(engine, "good-1", NULL, on_request, &good, finalize_model, NULL) == CONCLAVE_OK);
    CHECK(conclave_ask(engine, data_file("seattle-weather.csv"), "How many days had rain?", &result, NULL) == CONCLAVE_OK);
    CHECK(good.requests == 2);
    CHECK(good.last_token > token_of_parent);
    CHECK_TEXT(conclave_result_answer(result), "641");
    conclave_result_destroy(result);
    conclave_engine_destroy(engine);
    exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_model(void) {
  model good = {kReply, 0, 0, 0, PTHREAD_MUTEX_INITIALIZER, NULL};
  model rude = {"{\"error\": \"the quota is used up\"}", 0, 0, 0, PTHREAD_MUTEX_INITIALIZER, NULL};
  conclave_engine* engine = new_engine();
  conclave_result* result = NULL;
  conclave_error* error = NULL;
  size_t i;
  int failed = 0;

  CHECK(conclave_engine_add_model(engine, "bad name", NULL, on_request, &rude, finalize_model, &error) ==
        CONCLAVE_INVALID_ARGUMENT);
  CHECK(rude.finalized == 1);
  conclave_error_destroy(error);
  CHECK(conclave_engine_add_model(engine, "posing", "offline", on_request, &rude, finalize_model, &error) ==
        CONCLAVE_INVALID_ARGUMENT);
  CHECK_HAS(conclave_error_message(error), "family");
  CHECK(rude.finalized == 2);
  conclave_error_destroy(error);
  CHECK(conclave_engine_add_model(engine, "good-1", "good", on_request, &good, finalize_model, &error) == CONCLAVE_OK);
  CHECK(conclave_engine_add_model(engine, "good-1", "good", on_request, &rude, finalize_model, &error) ==
        CONCLAVE_ALREADY_EXISTS);
  CHECK(rude.finalized == 3);
  conclave_error_destroy(error);
  CHECK(conclave_engine_add_model(engine, "rude", NULL, on_request, &rude, finalize_model, &error) == CONCLAVE_OK);

  CHECK(conclave_model_reply(0, "{}", 2, &error) == CONCLAVE_NOT_FOUND);
  conclave_error_destroy(error);
  CHECK(conclave_model_reply(1000000, "{\"text\": \"\"}", 12, &error) == CONCLAVE_NOT_FOUND);
  conclave_error_destroy(error);

  CHECK(conclave_ask(engine, data_file("seattle-weather.csv"), "How many days had rain?", &result, &error) == CONCLAVE_OK);
  CHECK(good.requests == 2);
  CHECK(rude.requests == 2);
  CHECK_TEXT(conclave_result_answer(result), "641");
  CHECK(conclave_result_persona_count(result) == 6);
  for (i = 0; i < 6; ++i) {
    if (strstr(conclave_result_persona_answer(result, i), "the quota is used up") != NULL) ++failed;
  }
  CHECK(failed == 2);
  CHECK(conclave_model_wanted(good.last_token) == 0);
  /* Too late, and twice: nobody minds. */
  CHECK(conclave_model_reply(good.last_token, "{\"text\": \"late\"}", 16, NULL) == CONCLAVE_OK);
  conclave_result_destroy(result);
  CHECK(good.finalized == 0);
  conclave_engine_destroy(engine);
  CHECK(good.finalized == 1);
  CHECK(rude.finalized == 4);
  CHECK(conclave_model_reply(good.last_token, "{\"text\": \"later still\"}", 23, NULL) == CONCLAVE_OK);
  test_model_after_fork(good.last_token);
}

/* A reply that is none ends the request as well: nobody waits for the deadline. */
static void test_refused_reply(void) {
  static const char* const kReplies[] = {"{", "{\"text\": \"\xff\"}", "{\"text\": 7}", "{}"};
  size_t i;
  for (i = 0; i < sizeof kReplies / sizeof kReplies[0]; ++i) {
    model odd = {NULL, 0, 0, 0, PTHREAD_MUTEX_INITIALIZER, NULL};
    conclave_engine* engine = new_engine();
    conclave_result* result = NULL;
    size_t persona;
    int refused = 0;
    odd.refused = kReplies[i];
    CHECK(conclave_engine_add_model(engine, "odd", NULL, on_request, &odd, NULL, NULL) == CONCLAVE_OK);
    CHECK(conclave_ask(engine, data_file("seattle-weather.csv"), "How many days had rain?", &result, NULL) == CONCLAVE_OK);
    for (persona = 0; persona < conclave_result_persona_count(result); ++persona) {
      refused += strstr(conclave_result_persona_answer(result, persona), "reply was refused") != NULL;
    }
    CHECK(refused == 2);
    conclave_result_destroy(result);
    conclave_engine_destroy(engine);
  }
}

static void test_silent_model(void) {
  model silent = {NULL, 0, 0, 0, PTHREAD_MUTEX_INITIALIZER, NULL};
  conclave_engine* engine = new_engine();
  conclave_job* job;
  CHECK(conclave_engine_add_model(engine, "silent", NULL, on_request, &silent, NULL, NULL) == CONCLAVE_OK);
  job = new_job(engine, CONCLAVE_ANALYSIS, kRain);
  CHECK(conclave_job_submit(job, NULL) == CONCLAVE_OK);
  CHECK(conclave_job_wait(job, 3000, NULL) == CONCLAVE_DEADLINE_EXCEEDED);
  CHECK(conclave_model_wanted(silent.last_token) == 1);
  conclave_job_cancel(job);
  check_cancelled(job);
  CHECK(conclave_model_wanted(silent.last_token) == 0);
  conclave_job_destroy(job);
  conclave_engine_destroy(engine);
}

const test_case kModelCases[] = {
    {"model", test_model},
    {"refused_reply", test_refused_reply},
    {"silent_model", test_silent_model},
    {NULL, NULL},
};
