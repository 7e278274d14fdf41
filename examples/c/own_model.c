/* A language model that the host speaks for joins the panel: its prompts come here, and what it says goes back.
 *
 *   own_model FILE QUESTION COMMAND
 *
 * COMMAND is a shell command that reads the request, one JSON object, and prints the completion: a script that sends its
 * `instructions` as the system's message and its `prompt` as the user's to a model.
 */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conclave.h"

typedef struct {
  const char* command;
  uint64_t token;
  char* request;
} prompt;

/* Appends `size` bytes as the inside of a JSON string. */
static void append_quoted(FILE* out, const char* bytes, size_t size) {
  size_t i;
  for (i = 0; i < size; ++i) {
    const unsigned char byte = (unsigned char)bytes[i];
    if (byte == '"' || byte == '\\' || byte < 0x20) {
      fprintf(out, "\\u%04x", byte);
    } else {
      fputc(byte, out);
    }
  }
}

static void reply_error(uint64_t token, const char* message) {
  char reply[256];
  const int size = snprintf(reply, sizeof reply, "{\"error\": \"%s\"}", message);
  conclave_model_reply(token, reply, (size_t)size, NULL);
}

/* Runs the command with `file` as its input and replies with what it prints. */
static void reply_with_output(const prompt* self, const char* file) {
  char command[4096];
  char block[4096];
  char* reply = NULL;
  size_t size = 0;
  size_t got;
  conclave_error* error = NULL;
  FILE* out = open_memstream(&reply, &size);
  FILE* said;
  snprintf(command, sizeof command, "%s < %s", self->command, file);
  said = out == NULL ? NULL : popen(command, "r");
  if (said == NULL) {
    reply_error(self->token, "the command could not be started");
    if (out != NULL) fclose(out);
    free(reply);
    return;
  }
  fputs("{\"text\": \"", out);
  while ((got = fread(block, 1, sizeof block, said)) > 0) append_quoted(out, block, got);
  fputs("\"}", out);
  fclose(out);
  if (pclose(said) != 0) {
    reply_error(self->token, "the command failed");
  } else if (conclave_model_reply(self->token, reply, size, &error) != CONCLAVE_OK) {
    fprintf(stderr, "own_model: %s\n", conclave_error_message(error));
    conclave_error_destroy(error);
  }
  free(reply);
}

static void* complete(void* argument) {
  prompt* self = argument;
  char name[] = "/tmp/prompt-XXXXXX";
  const int file = mkstemp(name);
  const size_t size = strlen(self->request);
  if (file >= 0 && write(file, self->request, size) == (ssize_t)size) {
    reply_with_output(self, name);
  } else {
    reply_error(self->token, "the prompt could not be written down");
  }
  if (file >= 0) {
    close(file);
    unlink(name);
  }
  free(self->request);
  free(self);
  return NULL;
}

/* Called on a thread of the library: hand the prompt on and return. */
static void on_prompt(void* user_data, uint64_t token, const char* request_json, size_t size) {
  prompt* self = calloc(1, sizeof *self);
  pthread_t thread;
  (void)size;
  if (self != NULL) {
    self->command = user_data;
    self->token = token;
    self->request = strdup(request_json);
    if (self->request != NULL && pthread_create(&thread, NULL, complete, self) == 0) {
      pthread_detach(thread);
      return;
    }
    free(self->request);
    free(self);
  }
  reply_error(token, "no thread for the prompt");
}

int main(int count, char** arguments) {
  conclave_engine* engine = NULL;
  conclave_result* result = NULL;
  conclave_error* error = NULL;
  size_t i;
  if (count != 4) {
    fprintf(stderr, "usage: own_model FILE QUESTION COMMAND\n");
    return 2;
  }
  if (conclave_engine_create(NULL, &engine, &error) != CONCLAVE_OK ||
      conclave_engine_add_model(engine, "command", NULL, on_prompt, arguments[3], NULL, &error) != CONCLAVE_OK ||
      conclave_ask(engine, arguments[1], arguments[2], &result, &error) != CONCLAVE_OK) {
    fprintf(stderr, "own_model: %s\n", conclave_error_message(error));
    conclave_error_destroy(error);
    return 1;
  }
  printf("%s\n", conclave_result_delivered(result) ? conclave_result_sentence(result) : "No answer.");
  printf("%s\n", conclave_result_why(result));
  for (i = 0; i < conclave_result_persona_count(result); ++i) {
    printf("%s: %s\n", conclave_result_persona_name(result, i), conclave_result_persona_answer(result, i));
  }
  conclave_result_destroy(result);
  conclave_engine_destroy(engine);
  return 0;
}
