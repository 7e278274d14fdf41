/* Cases: what the tests of the C interface share. Each file lists its cases; a check that fails ends the program. */
#ifndef CONCLAVE_TESTS_CAPI_CASES_H_
#define CONCLAVE_TESTS_CAPI_CASES_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conclave.h"

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)
#define CHECK_TEXT(actual, expected)                                                                           \
  do {                                                                                                         \
    if (strcmp((actual), (expected)) != 0) {                                                                   \
      fprintf(stderr, "%s:%d: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, #actual, (actual), (expected)); \
      exit(1);                                                                                                 \
    }                                                                                                          \
  } while (0)
#define CHECK_HAS(actual, part)                                                               \
  do {                                                                                        \
    if (strstr((actual), (part)) == NULL) {                                                   \
      fprintf(stderr, "%s:%d: \"%s\" has no \"%s\"\n", __FILE__, __LINE__, (actual), (part)); \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)

typedef struct {
  const char* name;
  void (*run)(void);
} test_case;

/* Each ends with a case without a name. */
extern const test_case kEngineCases[];
extern const test_case kJobCases[];
extern const test_case kModelCases[];

/* A file of the folder CONCLAVE_DATA; the text lives until the next call. */
const char* data_file(const char* name);
conclave_engine* new_engine(void);
/* A job over seattle-weather.csv; `members` are those of its descriptor but for the datasets. */
conclave_job* new_job(conclave_engine* engine, int32_t kind, const char* members);

/* Waits for a job that was cancelled, and that it says so. */
void check_cancelled(conclave_job* job);

/* The members of a question, and of a program that does not end. */
extern const char kRain[];
extern const char kForever[];

#endif
