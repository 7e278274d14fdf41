/* Versions, engines, single questions and comparison. */
#include "cases.h"

static void test_version(void) {
  CHECK(conclave_version_number() == CONCLAVE_VERSION_NUMBER);
  CHECK_TEXT(conclave_version_string(), "0.1.0");
  CHECK(conclave_abi_version() == CONCLAVE_ABI_VERSION);
  CHECK_HAS(conclave_features(), "model_callback");
  CHECK_TEXT(conclave_code_name(CONCLAVE_DATA_LOSS), "DATA_LOSS");
  CHECK_TEXT(conclave_code_name(17), "UNKNOWN");
  CHECK_TEXT(conclave_code_name(-1), "UNKNOWN");
}

static void test_nothing_of_nothing(void) {
  conclave_error* error = (conclave_error*)1;
  conclave_buffer* buffer = (conclave_buffer*)1;
  conclave_error_destroy(NULL);
  conclave_buffer_destroy(NULL);
  conclave_engine_destroy(NULL);
  conclave_job_destroy(NULL);
  conclave_result_destroy(NULL);
  conclave_job_cancel(NULL);
  CHECK(conclave_error_code(NULL) == CONCLAVE_OK);
  CHECK_TEXT(conclave_error_message(NULL), "");
  CHECK_HAS(conclave_error_detail_json(NULL), "\"OK\"");
  CHECK(conclave_buffer_size(NULL) == 0);
  CHECK_TEXT(conclave_buffer_data(NULL), "");
  CHECK(conclave_job_descriptor(NULL) == -1);
  CHECK(conclave_result_delivered(NULL) == 0);
  CHECK(conclave_result_outcome(NULL) == CONCLAVE_OUTCOME_UNSPECIFIED);
  CHECK_TEXT(conclave_result_sentence(NULL), "");
  CHECK_TEXT(conclave_result_answer(NULL), "");
  CHECK_TEXT(conclave_result_why(NULL), "");
  CHECK_TEXT(conclave_result_way_out(NULL), "");
  CHECK(conclave_result_persona_counts(NULL, 0) == 0);
  CHECK(conclave_model_wanted(0) == 0);
  CHECK_TEXT(conclave_result_id(NULL), "");
  CHECK(conclave_result_persona_count(NULL) == 0);
  CHECK(conclave_result_persona_name(NULL, 0) == NULL);
  CHECK(conclave_result_persona_answer(NULL, 0) == NULL);
  CHECK(conclave_engine_examine(NULL, &buffer, &error) == CONCLAVE_INVALID_ARGUMENT);
  CHECK(buffer == NULL);
  CHECK_TEXT(conclave_error_message(error), "engine: is NULL");
  conclave_error_destroy(error);
  CHECK(conclave_engine_create(NULL, NULL, NULL) == CONCLAVE_INVALID_ARGUMENT);
  CHECK(conclave_job_submit(NULL, NULL) == CONCLAVE_INVALID_ARGUMENT);
  CHECK(conclave_job_wait(NULL, 0, NULL) == CONCLAVE_INVALID_ARGUMENT);
  CHECK(conclave_result_encode(NULL, CONCLAVE_JSON, &buffer, NULL) == CONCLAVE_INVALID_ARGUMENT);
}

static void test_options(void) {
  struct {
    conclave_engine_options options;
    uint64_t newer;
  } grown;
  conclave_engine_options options;
  conclave_engine* engine = NULL;
  conclave_error* error = NULL;

  memset(&options, 0xff, sizeof options);
  conclave_engine_options_init(&options, sizeof options);
  CHECK(options.struct_size == sizeof options);
  CHECK(options.store_folder == NULL);
  CHECK(conclave_engine_create(&options, &engine, &error) == CONCLAVE_OK);
  conclave_engine_destroy(engine);

  options.budget_processes = -1;
  CHECK(conclave_engine_create(&options, &engine, &error) == CONCLAVE_INVALID_ARGUMENT);
  CHECK(engine == NULL);
  CHECK_HAS(conclave_error_message(error), "options.budget_processes");
  CHECK_HAS(conclave_error_detail_json(error), "\"field\":\"options.budget_processes\"");
  conclave_error_destroy(error);

  conclave_engine_options_init(&options, sizeof options);
  CHECK(options.isolation_required == 0 && options.isolation_preferred == 0);
  options.isolation_required = 2;
  options.isolation_preferred = 1;
  CHECK(conclave_engine_create(&options, &engine, &error) == CONCLAVE_INVALID_ARGUMENT);
  CHECK_TEXT(conclave_error_message(error),
             "options.isolation_preferred: 1 is below the 2 of isolation_required: give at least that");
  CHECK_HAS(conclave_error_detail_json(error), "\"field\":\"options.isolation_preferred\"");
  conclave_error_destroy(error);
  options.isolation_required = 4;
  CHECK(conclave_engine_create(&options, &engine, &error) == CONCLAVE_INVALID_ARGUMENT);
  CHECK_HAS(conclave_error_message(error), "options.isolation_required: 4 is no level");
  conclave_error_destroy(error);
  options.isolation_required = CONCLAVE_ISOLATION_LEVEL_0;
  options.isolation_preferred = CONCLAVE_ISOLATION_LEVEL_0;
  CHECK(conclave_engine_create(&options, &engine, &error) == CONCLAVE_OK);
  conclave_engine_destroy(engine);

  /* Compiled against the header as it was without isolation: what lies behind the smaller struct is left alone. */
  memset(&options, 0xff, sizeof options);
  conclave_engine_options_init(&options, offsetof(conclave_engine_options, isolation_required));
  CHECK(options.struct_size == 64);
  CHECK(options.python == NULL);
  CHECK(options.isolation_required == -1);
  options.isolation_required = 99;
  CHECK(conclave_engine_create(&options, &engine, &error) == CONCLAVE_OK);
  conclave_engine_destroy(engine);

  memset(&options, 0, sizeof options);
  CHECK(conclave_engine_create(&options, &engine, &error) == CONCLAVE_INVALID_ARGUMENT);
  CHECK_HAS(conclave_error_message(error), "conclave_engine_options_init");
  conclave_error_destroy(error);

  /* A size that never was leaves the struct alone. */
  options.budget_processes = 7;
  conclave_engine_options_init(&options, 12);
  CHECK(options.budget_processes == 7);

  /* Compiled against a newer header: fine as long as nothing new is asked for. */
  memset(&grown, 0, sizeof grown);
  grown.options.struct_size = sizeof grown;
  CHECK(conclave_engine_create(&grown.options, &engine, &error) == CONCLAVE_OK);
  conclave_engine_destroy(engine);
  grown.newer = 1;
  CHECK(conclave_engine_create(&grown.options, &engine, &error) == CONCLAVE_INVALID_ARGUMENT);
  CHECK_HAS(conclave_error_message(error), "does not know");
  conclave_error_destroy(error);
}

static void test_options_as_json(void) {
  static const char* const kGood[] = {"{}",
                                      "{\"budget_processes\": 2, \"budget_cpus\": 1.5, \"scope\": \"a\"}",
                                      "{\"store_folder\": null}",
                                      "{\"isolation_required\": 0, \"isolation_preferred\": 0}",
                                      "{\"isolation_required\": 1, \"isolation_preferred\": 3}",
                                      "{\"isolation_preferred\": null}"};
  static const char* const kBad[] = {"",
                                     "[]",
                                     "{\"budget_processes\": \"2\"}",
                                     "{\"budget_processes\": -2}",
                                     "{\"budget_processes\": -4294967288}",
                                     "{\"budget_processes\": 1.5}",
                                     "{\"budgets\": 1}",
                                     "{\"isolation_required\": 4}",
                                     "{\"isolation_required\": -1}",
                                     "{\"isolation_preferred\": 1.5}",
                                     "{\"isolation_preferred\": \"2\"}",
                                     "{\"isolation_required\": 3, \"isolation_preferred\": 2}",
                                     "{\"scope\": \"a\\u0000b\"}",
                                     "{\"guest_folder\": \"/nonexistent\"}"};
  conclave_engine* engine = NULL;
  size_t i;
  for (i = 0; i < sizeof kGood / sizeof kGood[0]; ++i) {
    CHECK(conclave_engine_create_json(kGood[i], strlen(kGood[i]), &engine, NULL) == CONCLAVE_OK);
    conclave_engine_destroy(engine);
  }
  for (i = 0; i < sizeof kBad / sizeof kBad[0]; ++i) {
    conclave_error* error = NULL;
    CHECK(conclave_engine_create_json(kBad[i], i == 0 ? 1 : strlen(kBad[i]), &engine, &error) != CONCLAVE_OK);
    CHECK(engine == NULL);
    CHECK(strlen(conclave_error_message(error)) > 0);
    conclave_error_destroy(error);
  }
}

/* What is not understood is named as the field of the error. */
static void test_unknown_members(void) {
  static const struct {
    int32_t kind; /* 0: options of an engine */
    const char* json;
    const char* field;
  } kUnknown[] = {
      {0, "{\"budgets\": 1}", "\"field\":\"options.budgets\""},
      {0, "{\"Budget CPUs\": 1}", "\"field\":\"options.Budget CPUs\""},
      {0, "{\"budget_cpus\": \"2\"}", "\"field\":\"options.budget_cpus\""},
      {CONCLAVE_ANALYSIS, "{\"questoin\": \"x\"}", "\"field\":\"questoin\""},
      {CONCLAVE_ANALYSIS, "{\"Question!\": \"x\"}", "\"field\":\"Question!\""},
      {CONCLAVE_ANALYSIS, "{\"context\": {\"deadline\": 5}}", "\"field\":\"context.deadline\""},
      {0, "{\"scope\": }", "\"field\":\"json\""},
      {CONCLAVE_ANALYSIS, "{\"question\": }", "\"field\":\"data\""},
      {CONCLAVE_EXECUTION, "{\"program\": \"SELECT 1\"}", "\"field\":\"program\""},
      {CONCLAVE_PROFILE, "{\"datasets\": [{}, {\"file\": \"a\"}]}", "\"field\":\"datasets[1].file\""},
  };
  conclave_engine* engine = new_engine();
  size_t i;
  for (i = 0; i < sizeof kUnknown / sizeof kUnknown[0]; ++i) {
    const char* json = kUnknown[i].json;
    conclave_engine* other = NULL;
    conclave_job* job = NULL;
    conclave_error* error = NULL;
    const conclave_code code =
        kUnknown[i].kind == 0 ? conclave_engine_create_json(json, strlen(json), &other, &error)
                              : conclave_job_create(engine, kUnknown[i].kind, CONCLAVE_JSON, json, strlen(json), &job, &error);
    CHECK(code == CONCLAVE_INVALID_ARGUMENT);
    CHECK_HAS(conclave_error_detail_json(error), kUnknown[i].field);
    conclave_error_destroy(error);
  }
  conclave_engine_destroy(engine);
}

static void test_ask(void) {
  conclave_engine* engine = new_engine();
  conclave_result* result = NULL;
  conclave_result* recalled = NULL;
  conclave_buffer* buffer = NULL;
  conclave_error* error = NULL;
  size_t i;

  CHECK(conclave_ask(engine, data_file("seattle-weather.csv"), "How many days had rain?", &result, &error) == CONCLAVE_OK);
  CHECK(conclave_result_delivered(result) == 1);
  CHECK(conclave_result_outcome(result) == CONCLAVE_SUPPORTED);
  CHECK_TEXT(conclave_result_answer(result), "641");
  CHECK_HAS(conclave_result_sentence(result), ": 641.");
  CHECK_HAS(conclave_result_why(result), "2 programs agree");
  CHECK(strlen(conclave_result_id(result)) == 16);
  CHECK(conclave_result_persona_count(result) == 2);
  for (i = 0; i < 2; ++i) {
    CHECK_HAS(conclave_result_persona_name(result, i), "offline-");
    CHECK(conclave_result_persona_counts(result, i) == 1);
    CHECK_TEXT(conclave_result_persona_answer(result, i), "641");
  }
  CHECK(conclave_result_persona_name(result, 2) == NULL);

  CHECK(conclave_result_encode(result, CONCLAVE_JSON, &buffer, &error) == CONCLAVE_OK);
  CHECK_HAS(conclave_buffer_data(buffer), "\"kind\":\"supported\"");
  CHECK(strlen(conclave_buffer_data(buffer)) == conclave_buffer_size(buffer));
  conclave_buffer_destroy(buffer);
  CHECK(conclave_result_encode(result, CONCLAVE_PROTO, &buffer, &error) == CONCLAVE_OK);
  CHECK(conclave_buffer_size(buffer) > 100);
  conclave_buffer_destroy(buffer);
  CHECK(conclave_result_encode(result, 9, &buffer, &error) == CONCLAVE_INVALID_ARGUMENT);
  conclave_error_destroy(error);

  CHECK(conclave_engine_recall(engine, NULL, conclave_result_id(result), &recalled, &error) == CONCLAVE_OK);
  CHECK_TEXT(conclave_result_answer(recalled), "641");
  conclave_result_destroy(recalled);
  CHECK(conclave_engine_recall(engine, "somebody-else", conclave_result_id(result), &recalled, &error) == CONCLAVE_NOT_FOUND);
  conclave_error_destroy(error);

  /* Results need no engine. */
  conclave_engine_destroy(engine);
  CHECK_TEXT(conclave_result_answer(result), "641");
  conclave_result_destroy(result);
}

/* What was computed once and not cross-checked is no answer. */
static void test_undelivered(void) {
  static const char kOneReader[] =
      "{\"question\": \"How many days had rain?\", \"personas\": [\"offline-sql\"], \"datasets\": [{\"path\": \"%s\"}]}";
  char descriptor[4096];
  conclave_engine* engine = new_engine();
  conclave_job* job = NULL;
  conclave_result* result = NULL;
  conclave_buffer* buffer = NULL;
  const int size = snprintf(descriptor, sizeof descriptor, kOneReader, data_file("seattle-weather.csv"));
  CHECK(conclave_job_create(engine, CONCLAVE_ANALYSIS, CONCLAVE_JSON, descriptor, (size_t)size, &job, NULL) == CONCLAVE_OK);
  CHECK(conclave_job_submit(job, NULL) == CONCLAVE_OK);
  CHECK(conclave_job_wait(job, 60000, NULL) == CONCLAVE_OK);
  CHECK(conclave_job_result(job, &result, NULL) == CONCLAVE_OK);
  CHECK(conclave_result_delivered(result) == 0);
  CHECK(conclave_result_outcome(result) == CONCLAVE_NONE);
  CHECK_TEXT(conclave_result_sentence(result), "");
  CHECK_TEXT(conclave_result_answer(result), "");
  CHECK_HAS(conclave_result_why(result), "not cross-checked");
  CHECK_HAS(conclave_result_way_out(result), "without choosing personas");
  CHECK_HAS(conclave_result_way_out(result), "offline-pandas (offline)");
  CHECK_TEXT(conclave_result_persona_answer(result, 0), "641");
  CHECK(conclave_result_encode(result, CONCLAVE_JSON, &buffer, NULL) == CONCLAVE_OK);
  CHECK_HAS(conclave_buffer_data(buffer), "641");
  conclave_buffer_destroy(buffer);
  conclave_result_destroy(result);
  conclave_job_destroy(job);

  CHECK(conclave_ask(engine, data_file("seattle-weather.csv"), "Why did it rain?", &result, NULL) == CONCLAVE_OK);
  CHECK(conclave_result_delivered(result) == 0);
  CHECK(conclave_result_persona_counts(result, 0) == 0);
  CHECK(strlen(conclave_result_persona_answer(result, 0)) > 0);
  conclave_result_destroy(result);
  conclave_engine_destroy(engine);
}

static void test_unusable_input(void) {
  conclave_engine* engine = new_engine();
  conclave_result* result = (conclave_result*)1;
  conclave_error* error = NULL;
  CHECK(conclave_ask(engine, "/nonexistent/sales.csv", "How many rows are there?", &result, &error) == CONCLAVE_NOT_FOUND);
  CHECK(result == NULL);
  CHECK(conclave_error_code(error) == CONCLAVE_NOT_FOUND);
  CHECK_HAS(conclave_error_message(error), "/nonexistent/sales.csv");
  CHECK_HAS(conclave_error_detail_json(error), "\"field\":\"datasets[0].path\"");
  conclave_error_destroy(error);
  CHECK(conclave_ask(engine, data_file("seattle-weather.csv"), "", &result, &error) == CONCLAVE_INVALID_ARGUMENT);
  conclave_error_destroy(error);
  conclave_engine_destroy(engine);
}

static void test_examine(void) {
  conclave_engine* engine = new_engine();
  conclave_buffer* report = NULL;
  CHECK(conclave_engine_examine(engine, &report, NULL) == CONCLAVE_OK);
  CHECK_HAS(conclave_buffer_data(report), "{\"good\":true,");
  CHECK_HAS(conclave_buffer_data(report), "\"part\":\"sandbox\"");
  conclave_buffer_destroy(report);
  conclave_engine_destroy(engine);
}

static void test_compare(void) {
  static const char a[] = "{\"kind\": \"number\", \"value\": 34.65}";
  static const char b[] = "{\"kind\": \"number\", \"value\": 34.6544}";
  static const char two[] = "{\"decimals\": 2}";
  conclave_buffer* verdict = NULL;
  conclave_error* error = NULL;
  CHECK(conclave_compare(a, strlen(a), b, strlen(b), two, strlen(two), &verdict, &error) == CONCLAVE_OK);
  CHECK_HAS(conclave_buffer_data(verdict), "\"agree\":true");
  conclave_buffer_destroy(verdict);
  CHECK(conclave_compare(a, strlen(a), "{\"kind\": \"number\", \"value\": 3}", 30, NULL, 0, &verdict, &error) == CONCLAVE_OK);
  CHECK_HAS(conclave_buffer_data(verdict), "\"agree\":false");
  conclave_buffer_destroy(verdict);
  CHECK(conclave_compare(a, strlen(a), "{", 1, NULL, 0, &verdict, &error) == CONCLAVE_INVALID_ARGUMENT);
  CHECK_HAS(conclave_error_message(error), "b: ");
  conclave_error_destroy(error);
}

const test_case kEngineCases[] = {
    {"version", test_version},
    {"nothing_of_nothing", test_nothing_of_nothing},
    {"options", test_options},
    {"options_as_json", test_options_as_json},
    {"unknown_members", test_unknown_members},
    {"ask", test_ask},
    {"undelivered", test_undelivered},
    {"unusable_input", test_unusable_input},
    {"examine", test_examine},
    {"compare", test_compare},
    {NULL, NULL},
};
