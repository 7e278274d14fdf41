/* The C interface as a host in C99 meets it. Usage: interface_test CASE, where CASE is a name in one of the tables of cases.
 * CONCLAVE_DATA is the folder of example data; guest programs are found by CONCLAVE_LIBEXEC. */
#include "cases.h"

const char* data_file(const char* name) {
  static char path[4096];
  const char* folder = getenv("CONCLAVE_DATA");
  CHECK(folder != NULL);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

conclave_engine* new_engine(void) {
  conclave_engine* engine = NULL;
  conclave_error* error = NULL;
  if (conclave_engine_create(NULL, &engine, &error) != CONCLAVE_OK) fprintf(stderr, "%s\n", conclave_error_message(error));
  CHECK(engine != NULL);
  CHECK(error == NULL);
  return engine;
}

/* A job over the weather file; `members` are further members of the descriptor, each followed by a comma. */
conclave_job* new_job(conclave_engine* engine, int32_t kind, const char* members) {
  char descriptor[8192];
  conclave_job* job = NULL;
  conclave_error* error = NULL;
  const int size = snprintf(descriptor, sizeof descriptor, "{%s\"datasets\": [{\"path\": \"%s\"}]}", members,
                            data_file("seattle-weather.csv"));
  if (conclave_job_create(engine, kind, CONCLAVE_JSON, descriptor, (size_t)size, &job, &error) != CONCLAVE_OK) {
    fprintf(stderr, "%s\n", conclave_error_message(error));
  }
  CHECK(job != NULL);
  return job;
}

void check_cancelled(conclave_job* job) {
  conclave_result* result = NULL;
  conclave_error* error = NULL;
  CHECK(conclave_job_wait(job, 60000, NULL) == CONCLAVE_OK);
  CHECK(conclave_job_result(job, &result, &error) == CONCLAVE_CANCELLED);
  CHECK(result == NULL);
  conclave_error_destroy(error);
}

const char kRain[] = "\"question\": \"How many days had rain?\",";
const char kForever[] = "\"language\": \"python\", \"code\": \"df = load()\\nwhile True: pass\\nresult = 1\",";

static int run(const test_case* cases, const char* name) {
  for (; cases->name != NULL; ++cases) {
    if (strcmp(name, cases->name) != 0) continue;
    cases->run();
    return 1;
  }
  return 0;
}

int main(int count, char** arguments) {
  if (count == 2 && (run(kEngineCases, arguments[1]) || run(kJobCases, arguments[1]) || run(kModelCases, arguments[1])))
    return 0;
  fprintf(stderr, "usage: interface_test CASE\n");
  return 2;
}
