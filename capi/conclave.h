/* Conclave: answers questions about data files with programs that are run in isolation and checked against each other.
 *
 *   conclave_engine *engine = NULL;
 *   conclave_result *result = NULL;
 *   conclave_error *error = NULL;
 *   if (conclave_engine_create(NULL, &engine, &error) == CONCLAVE_OK &&
 *       conclave_ask(engine, "sales.csv", "What is the total amount?", &result, &error) == CONCLAVE_OK) {
 *     puts(conclave_result_delivered(result) ? conclave_result_sentence(result) : conclave_result_why(result));
 *   } else {
 *     fprintf(stderr, "%s\n", conclave_error_message(error));
 *   }
 *   conclave_error_destroy(error);
 *   conclave_result_destroy(result);
 *   conclave_engine_destroy(engine);
 *
 * Conventions, for every function unless it says otherwise:
 *
 *  1. A function that can fail returns a conclave_code and takes, last, a `conclave_error **`. It may be NULL; else it is set
 *     to an error that the caller destroys, or to NULL on success.
 *  2. `conclave_x **out` receives an object that the caller destroys with conclave_x_destroy, or NULL on failure.
 *     A returned `const` pointer is borrowed: it lives as long as the object it was asked of.
 *  3. conclave_x_destroy(NULL) does nothing. Objects may be destroyed in any order: a job keeps its engine alive, a result
 *     needs neither.
 *  4. A required pointer that is NULL, or a number out of range, is CONCLAVE_INVALID_ARGUMENT, never a crash.
 *  5. Data goes in as pointer and size and is copied before the call returns. Names are NUL-terminated UTF-8.
 *  6. Structs begin with struct_size, the size the caller was compiled with; zero in any other field means its default.
 *  7. Functions on a `const` pointer may run on any number of threads at once, and so may all functions on an engine. Any other
 *     job, result, buffer or error is used by one thread at a time, whichever it is. No call on an object may begin once it is
 *     being destroyed; calls that have begun on an engine go on.
 *  8. A callback comes as (function, user_data, finalizer). The finalizer (may be NULL) is called exactly once, when the
 *     function will never be called again, also when the call that was given it fails. Each says on which thread it runs.
 *     No lock is held during a callback. It must not throw, longjmp or end its thread.
 *  9. After fork() the child may read results, errors and buffers, destroy what it inherited, which frees memory and nothing
 *     else, and create an engine of its own; other calls on inherited objects are CONCLAVE_FAILED_PRECONDITION, and cancelling
 *     does nothing.
 * 10. The library prints nothing, handles no signal, waits for no process but its own, and changes neither environment, locale,
 *     limits nor working folder of the process.
 */
#ifndef CONCLAVE_H_
#define CONCLAVE_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CONCLAVE_API __attribute__((visibility("default")))
#else
#define CONCLAVE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version ---- */

#define CONCLAVE_VERSION_MAJOR 0
#define CONCLAVE_VERSION_MINOR 1
#define CONCLAVE_VERSION_PATCH 0
#define CONCLAVE_VERSION_NUMBER (CONCLAVE_VERSION_MAJOR * 1000000 + CONCLAVE_VERSION_MINOR * 1000 + CONCLAVE_VERSION_PATCH)

/* Raised when a function, a struct or a rule of this header changes so that a caller compiled before it would break. */
#define CONCLAVE_ABI_VERSION 1

/* Those of the library that is loaded, which may be newer than this header. Callable at any time, also after fork(). */
CONCLAVE_API uint32_t conclave_version_number(void);
CONCLAVE_API const char* conclave_version_string(void); /* "0.1.0" */
CONCLAVE_API uint32_t conclave_abi_version(void);

/* What this build can do, as words with a space between: "analysis execution profile compare model_callback". */
CONCLAVE_API const char* conclave_features(void);

/* ---- Codes and errors ---- */

/* The numbers are those of absl::StatusCode and never change. */
typedef int32_t conclave_code;
enum {
  CONCLAVE_OK = 0,
  CONCLAVE_CANCELLED = 1, /* somebody cancelled the job */
  CONCLAVE_UNKNOWN = 2,
  CONCLAVE_INVALID_ARGUMENT = 3,  /* the job or an argument makes no sense; the message names the field */
  CONCLAVE_DEADLINE_EXCEEDED = 4, /* time ran out; from conclave_job_wait: the job goes on */
  CONCLAVE_NOT_FOUND = 5,         /* no such file or id */
  CONCLAVE_ALREADY_EXISTS = 6,
  CONCLAVE_PERMISSION_DENIED = 7,
  CONCLAVE_RESOURCE_EXHAUSTED = 8,  /* memory, disk, descriptors, threads, or a bound of the library */
  CONCLAVE_FAILED_PRECONDITION = 9, /* isolation or a part of the installation is missing; or called at the wrong moment */
  CONCLAVE_ABORTED = 10,
  CONCLAVE_OUT_OF_RANGE = 11,
  CONCLAVE_UNIMPLEMENTED = 12,
  CONCLAVE_INTERNAL = 13,    /* a defect of Conclave */
  CONCLAVE_UNAVAILABLE = 14, /* an engine or interpreter is missing; the host forbids processes */
  CONCLAVE_DATA_LOSS = 15,   /* the store is damaged or written by a newer version */
  CONCLAVE_UNAUTHENTICATED = 16
};

/* "INVALID_ARGUMENT"; "UNKNOWN" for other numbers. Static. */
CONCLAVE_API const char* conclave_code_name(conclave_code code);

/* What went wrong. Never changes, so any number of threads may read it. */
typedef struct conclave_error conclave_error;

/* Of NULL: CONCLAVE_OK and "". */
CONCLAVE_API conclave_code conclave_error_code(const conclave_error* error);
/* One or more sentences for people: what failed, the offending value, what to do. */
CONCLAVE_API const char* conclave_error_message(const conclave_error* error);
/* One JSON object for programs: {"code": "NOT_FOUND", "message": "...", "field": "datasets[0].path"}; `field` is the part of
 * the job concerned, absent where there is none. Members may be added. */
CONCLAVE_API const char* conclave_error_detail_json(const conclave_error* error);
CONCLAVE_API void conclave_error_destroy(conclave_error* error);

/* ---- Bytes the library returns ---- */

typedef struct conclave_buffer conclave_buffer;

/* The bytes, followed by a NUL that is not counted. */
CONCLAVE_API const char* conclave_buffer_data(const conclave_buffer* buffer);
CONCLAVE_API size_t conclave_buffer_size(const conclave_buffer* buffer);
CONCLAVE_API void conclave_buffer_destroy(conclave_buffer* buffer);

/* How jobs, results and events are written down: messages of conclave/v1 as protocol buffers, or as plain JSON with the names
 * of their fields (64-bit integers are numbers). */
enum { CONCLAVE_PROTO = 1, CONCLAVE_JSON = 2 };

/* ---- Engine: the whole library behind one object ---- */

typedef struct conclave_engine conclave_engine;

typedef struct conclave_engine_options {
  uint32_t struct_size;        /* set by conclave_engine_options_init */
  int32_t budget_processes;    /* of all runs at a time; default 64 */
  int64_t budget_memory_bytes; /* of all runs at a time; default 4 GiB */
  int64_t budget_disk_bytes;   /* of all runs at a time; default 16 GiB */
  double budget_cpus;          /* default: as many as the machine has */
  const char* scope;           /* tenant of jobs that name none; default "default". Nothing is shared between scopes */
  const char* store_folder;    /* ledger and column stores; default: a private temporary folder that goes with the engine */
  const char* guest_folder;    /* guest programs; default: CONCLAVE_LIBEXEC, then libexec/conclave near the library */
  const char* python;          /* interpreter; default: CONCLAVE_PYTHON, then the first that can import pandas */
  int32_t isolation_required;  /* level without which no run takes place; default 1, or isolation_preferred if that is less */
  int32_t isolation_preferred; /* the strongest level to try; default 2, or isolation_required if that is more */
} conclave_engine_options;

/* Levels of isolation are 1, 2 and 3, for the two fields above; docs/command.md says what each denies. Level 0, limits only,
 * has this number there, because 0 means the default. */
enum { CONCLAVE_ISOLATION_LEVEL_0 = -1 };

/* Sets every field to its default. `struct_size` is sizeof(conclave_engine_options) as the caller sees it; a size that no
 * version of the library ever had leaves `options` alone, unless it is larger than all of them: that of a newer caller. */
CONCLAVE_API void conclave_engine_options_init(conclave_engine_options* options, size_t struct_size);

/* `options` may be NULL. Starts no process and takes about a millisecond. CONCLAVE_FAILED_PRECONDITION when there are no guest
 * programs; what else is missing shows when it is needed, or in conclave_engine_examine. */
CONCLAVE_API conclave_code conclave_engine_create(const conclave_engine_options* options, conclave_engine** out,
                                                  conclave_error** error);

/* The same for callers that cannot lay out a struct: one JSON object whose members are the fields of conclave_engine_options
 * but struct_size, {"store_folder": "/var/lib/answers", "budget_processes": 8}. Levels of isolation are 0 to 3 here; one that
 * is left out is the default. `size` 0: all defaults. */
CONCLAVE_API conclave_code conclave_engine_create_json(const void* json, size_t size, conclave_engine** out,
                                                       conclave_error** error);

/* Jobs of the engine go on until they end or are destroyed. */
CONCLAVE_API void conclave_engine_destroy(conclave_engine* engine);

/* Checks everything the engine depends on, as JSON: {"good": true, "findings": [{"part": "sandbox", "good": true, "message":
 * "..."}]}. Runs probes, which takes a second. */
CONCLAVE_API conclave_code conclave_engine_examine(const conclave_engine* engine, conclave_buffer** out,
                                                   conclave_error** error);

/* ---- Results ---- */

typedef struct conclave_result conclave_result;

enum {
  CONCLAVE_OUTCOME_UNSPECIFIED = 0, /* not the result of a question */
  CONCLAVE_CONFIRMED = 1,           /* delivered: two readers of the question agree, and checks on changed data passed */
  CONCLAVE_SUPPORTED = 2,           /* delivered: two programs agree, by one reader or several; why says what was not checked */
  CONCLAVE_DISPUTED = 3,            /* the programs differ */
  CONCLAVE_NONE = 4                 /* declined, failed, or executed once only */
};

/* 1 when there is an answer that stands: a question was answered and cross-checked, a program ended with an answer, files were
 * described. Else 0. */
CONCLAVE_API int32_t conclave_result_delivered(const conclave_result* result);

CONCLAVE_API int32_t conclave_result_outcome(const conclave_result* result);

/* Texts for people, UTF-8 without control characters but line breaks; "" where there is none.
 *   sentence: states the answer of a question, or leads up to it where it is a table; "" unless delivered
 *   answer:   only the value; aligned lines for tables, of which it has the first 50 rows; "" unless delivered
 *   why:      explains the outcome; of a program that gave no answer, how it failed
 *   way_out:  what would change the outcome
 *   id:       finds the question again with conclave_engine_recall */
CONCLAVE_API const char* conclave_result_sentence(const conclave_result* result);
CONCLAVE_API const char* conclave_result_answer(const conclave_result* result);
CONCLAVE_API const char* conclave_result_why(const conclave_result* result);
CONCLAVE_API const char* conclave_result_way_out(const conclave_result* result);
CONCLAVE_API const char* conclave_result_id(const conclave_result* result);

/* The personas that were asked. `counts` is 1 where a persona's answer was compared with the others': `answer` is that answer,
 * else why there is none. NULL and 0 for an index beyond the count. */
CONCLAVE_API size_t conclave_result_persona_count(const conclave_result* result);
CONCLAVE_API const char* conclave_result_persona_name(const conclave_result* result, size_t index);
CONCLAVE_API int32_t conclave_result_persona_counts(const conclave_result* result, size_t index);
CONCLAVE_API const char* conclave_result_persona_answer(const conclave_result* result, size_t index);

/* All of it. `format`: CONCLAVE_PROTO or CONCLAVE_JSON, of conclave.v1.Insight (a question), Execution (a program), or
 * ProfileList (files). */
CONCLAVE_API conclave_code conclave_result_encode(const conclave_result* result, int32_t format, conclave_buffer** out,
                                                  conclave_error** error);
CONCLAVE_API void conclave_result_destroy(conclave_result* result);

/* Asks one question about one file and waits for the end. How a question ends is a result, whatever the outcome; an error
 * means that the file could not be used or the work not be done. */
CONCLAVE_API conclave_code conclave_ask(conclave_engine* engine, const char* path, const char* question, conclave_result** out,
                                        conclave_error** error);

/* A finished question by its id, or the first four or more digits of it. `scope` NULL: the engine's. */
CONCLAVE_API conclave_code conclave_engine_recall(const conclave_engine* engine, const char* scope, const char* id,
                                                  conclave_result** out, conclave_error** error);

/* ---- Jobs: work that goes on while the caller does something else ---- */

typedef struct conclave_job conclave_job;

/* Which message of conclave.v1 a job is: AnalysisJob (a question), ExecutionJob (a program), ProfileJob (describe files). */
enum { CONCLAVE_ANALYSIS = 1, CONCLAVE_EXECUTION = 2, CONCLAVE_PROFILE = 3 };

/* Reads a job descriptor of at most 4 MiB. Nothing is started. JSON with an unknown field is refused. */
CONCLAVE_API conclave_code conclave_job_create(conclave_engine* engine, int32_t kind, int32_t format, const void* data,
                                               size_t size, conclave_job** out, conclave_error** error);

/* Receives one event as JSON of conclave.v1.Event (NUL-terminated, borrowed for the length of the call), in order, one at a
 * time, on threads of the library. A return value other than 0 cancels the job. May call conclave_job_cancel and
 * conclave_job_destroy; conclave_job_wait is refused. A callback that blocks holds the job up, beyond its deadline too. */
typedef int32_t (*conclave_event_fn)(void* user_data, const char* event_json, size_t size);

/* Before conclave_job_submit, once. The finalizer is called when the job has ended, on its thread, before conclave_job_wait
 * returns; for a job that never began, by conclave_job_destroy. No event is told once conclave_job_destroy was called. */
CONCLAVE_API conclave_code conclave_job_on_event(conclave_job* job, conclave_event_fn function, void* user_data,
                                                 void (*finalizer)(void* user_data), conclave_error** error);

/* Starts the job, once. */
CONCLAVE_API conclave_code conclave_job_submit(conclave_job* job, conclave_error** error);

/* Waits until the job has ended, however it ended: CONCLAVE_OK. A negative `timeout_ms` waits without limit, 0 only looks;
 * CONCLAVE_DEADLINE_EXCEEDED when it has not ended by then. Any number of threads may wait. */
CONCLAVE_API conclave_code conclave_job_wait(const conclave_job* job, int64_t timeout_ms, conclave_error** error);

/* A descriptor for poll() that is readable once the job has ended. Borrowed; do not read from it or close it. -1 of NULL. */
CONCLAVE_API int conclave_job_descriptor(const conclave_job* job);

/* Asks the job to end soon; it then ends with CONCLAVE_CANCELLED unless it was done. Any thread, repeatable, and
 * async-signal-safe. */
CONCLAVE_API void conclave_job_cancel(const conclave_job* job);

/* The result of a job that ended well; else its error. CONCLAVE_FAILED_PRECONDITION when it has not ended. Each call makes a
 * new object. */
CONCLAVE_API conclave_code conclave_job_result(const conclave_job* job, conclave_result** out, conclave_error** error);

/* Cancels the job if it goes on, and waits until its programs are dead and its callbacks have returned. Within a callback or
 * finalizer of the library, where that could wait for itself, it does not wait: the job ends on its own. */
CONCLAVE_API void conclave_job_destroy(conclave_job* job);

/* ---- Models of the host ---- */

/* Completes one prompt: {"token": 7, "language": "sql", "instructions": "...", "prompt": "...", "temperature": 0,
 * "max_output_tokens": 2048, "seed": 0, "deadline_ms": 60000} (NUL-terminated, borrowed for the length of the call). Called on
 * threads of the library, for several prompts at once. Return at once or when done; the reply is given to conclave_model_reply,
 * from any thread, also from within. */
typedef void (*conclave_model_fn)(void* user_data, uint64_t token, const char* request_json, size_t size);

/* Adds a language model to the panel of later jobs, as two personas, NAME-sql and NAME-python, so that each question asks it
 * twice. `instructions` are the system's message and `prompt` the user's; what a completion looks like is in the first, and in
 * docs/c-api.md. `name`: 1 to 64
 * letters, digits, '-', '_', '.', ':' or '/', shown in results. `family`: the author of its readings; models of one family
 * count as one lineage, "offline" is taken; NULL: the name. What a prompt holds leaves the engine: column names, types, ranges
 * and values that stand in several rows.
 */
CONCLAVE_API conclave_code conclave_engine_add_model(conclave_engine* engine, const char* name, const char* family,
                                                     conclave_model_fn function, void* user_data,
                                                     void (*finalizer)(void* user_data), conclave_error** error);

/* Answers the request `token`: {"text": "...", "model": "as the provider names it", "truncated": false, "input_tokens": 10,
 * "output_tokens": 20}, where only text is required; or {"error": "why not"}. What is neither is refused and ends the request
 * too, as an error of the model. Needs no engine, so that a reply can never come too late: one for a request that has ended, or
 * has its reply, or was made before fork(), is ignored. CONCLAVE_NOT_FOUND for a token that was never given. */
CONCLAVE_API conclave_code conclave_model_reply(uint64_t token, const void* json, size_t size, conclave_error** error);

/* 1 while the request `token` waits for its reply; 0 once nobody does, because the job was cancelled or its time is over: a
 * host may then break its own call off. */
CONCLAVE_API int32_t conclave_model_wanted(uint64_t token);

/* ---- Comparison ---- */

/* Whether two typed answers say the same: `a` and `b` are JSON of conclave.v1.Answer, `expectation` JSON of
 * conclave.v1.Expectation (NULL: nothing is known). Writes {"agree": true, "reason": "rounding", "difference": ""}. Needs no
 * engine. */
CONCLAVE_API conclave_code conclave_compare(const void* a, size_t a_size, const void* b, size_t b_size, const void* expectation,
                                            size_t expectation_size, conclave_buffer** out, conclave_error** error);

#ifdef __cplusplus
}
#endif

#endif /* CONCLAVE_H_ */
