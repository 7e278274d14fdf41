/* Asks one question about one file, and shows progress meanwhile.
 *
 *   ask FILE QUESTION
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conclave.h"

static int32_t show_progress(void* user_data, const char* event_json, size_t size) {
  (void)user_data;
  (void)size;
  fprintf(stderr, "%s\n", event_json);
  return 0; /* anything else cancels the job */
}

static int fail(conclave_error* error) {
  fprintf(stderr, "ask: %s\n", conclave_error_message(error));
  conclave_error_destroy(error);
  return 1;
}

/* `text` as a JSON string at `out`, which has room for six times its length and three bytes more. */
static void quote(const char* text, char* out) {
  *out++ = '"';
  for (; *text != '\0'; ++text) {
    if (*text == '"' || *text == '\\' || (unsigned char)*text < 0x20) {
      out += sprintf(out, "\\u%04x", (unsigned char)*text);
    } else {
      *out++ = *text;
    }
  }
  strcpy(out, "\"");
}

int main(int count, char** arguments) {
  conclave_engine* engine = NULL;
  conclave_job* job = NULL;
  conclave_result* result = NULL;
  conclave_error* error = NULL;
  char *path, *question, *descriptor;
  size_t i;
  int delivered;

  if (count != 3) {
    fprintf(stderr, "usage: ask FILE QUESTION\n");
    return 2;
  }
  path = malloc(6 * strlen(arguments[1]) + 3);
  question = malloc(6 * strlen(arguments[2]) + 3);
  descriptor = malloc(6 * (strlen(arguments[1]) + strlen(arguments[2])) + 100);
  if (path == NULL || question == NULL || descriptor == NULL) return 1;
  quote(arguments[1], path);
  quote(arguments[2], question);
  sprintf(descriptor, "{\"question\": %s, \"datasets\": [{\"path\": %s}]}", question, path);

  if (conclave_engine_create(NULL, &engine, &error) != CONCLAVE_OK) return fail(error);
  if (conclave_job_create(engine, CONCLAVE_ANALYSIS, CONCLAVE_JSON, descriptor, strlen(descriptor), &job, &error) !=
          CONCLAVE_OK ||
      conclave_job_on_event(job, show_progress, NULL, NULL, &error) != CONCLAVE_OK ||
      conclave_job_submit(job, &error) != CONCLAVE_OK || conclave_job_wait(job, -1, &error) != CONCLAVE_OK ||
      conclave_job_result(job, &result, &error) != CONCLAVE_OK) {
    return fail(error);
  }

  delivered = conclave_result_delivered(result);
  printf("%s\n", delivered ? conclave_result_sentence(result) : "No answer.");
  if (delivered) printf("%s\n", conclave_result_answer(result));
  printf("%s\n%s\n", conclave_result_why(result), conclave_result_way_out(result));
  for (i = 0; i < conclave_result_persona_count(result); ++i) {
    printf("%s: %s\n", conclave_result_persona_name(result, i), conclave_result_persona_answer(result, i));
  }

  conclave_result_destroy(result);
  conclave_job_destroy(job);
  conclave_engine_destroy(engine);
  free(descriptor);
  free(question);
  free(path);
  return delivered ? 0 : 3;
}
