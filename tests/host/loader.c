/* Loads the library by hand, in unkind ways. Usage: loader CASE LIBRARY
 * CONCLAVE_DATA is the folder of example data. */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conclave.h"

#define CHECK(condition)                                                                                 \
  do {                                                                                                   \
    if (!(condition)) {                                                                                  \
      const char* why = dlerror();                                                                       \
      fprintf(stderr, "%s:%d: not so: %s %s\n", __FILE__, __LINE__, #condition, why == NULL ? "" : why); \
      exit(1);                                                                                           \
    }                                                                                                    \
  } while (0)

typedef struct {
  void* handle;
  conclave_code (*create)(const conclave_engine_options*, conclave_engine**, conclave_error**);
  void (*destroy)(conclave_engine*);
  conclave_code (*ask)(conclave_engine*, const char*, const char*, conclave_result**, conclave_error**);
  const char* (*answer)(const conclave_result*);
  void (*forget)(conclave_result*);
  const char* (*message)(const conclave_error*);
} library;

/* A pointer to a function out of one to an object, as POSIX has it. */
#define BIND(member, name)                             \
  do {                                                 \
    *(void**)(&(member)) = dlsym(loaded.handle, name); \
    CHECK((member) != NULL);                           \
  } while (0)

static library load(const char* path, int flags) {
  library loaded;
  loaded.handle = dlopen(path, RTLD_NOW | flags);
  CHECK(loaded.handle != NULL);
  BIND(loaded.create, "conclave_engine_create");
  BIND(loaded.destroy, "conclave_engine_destroy");
  BIND(loaded.ask, "conclave_ask");
  BIND(loaded.answer, "conclave_result_answer");
  BIND(loaded.forget, "conclave_result_destroy");
  BIND(loaded.message, "conclave_error_message");
  return loaded;
}

static void ask(const library* with) {
  char weather[4096];
  conclave_engine* engine = NULL;
  conclave_result* result = NULL;
  conclave_error* error = NULL;
  snprintf(weather, sizeof weather, "%s/seattle-weather.csv", getenv("CONCLAVE_DATA"));
  if (with->create(NULL, &engine, &error) != CONCLAVE_OK ||
      with->ask(engine, weather, "How many days had rain?", &result, &error) != CONCLAVE_OK) {
    fprintf(stderr, "%s\n", with->message(error));
    exit(1);
  }
  CHECK(strcmp(with->answer(result), "641") == 0);
  with->forget(result);
  with->destroy(engine);
}

/* The loader then knows a relative path only; the guest programs are to be found all the same. */
static void relative_then_elsewhere(const char* path) {
  char folder[4096];
  library loaded;
  const char* slash = strrchr(path, '/');
  CHECK(slash != NULL);
  snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
  CHECK(chdir(folder) == 0);
  snprintf(folder, sizeof folder, "./%s", slash + 1);
  loaded = load(folder, RTLD_LOCAL);
  CHECK(chdir("/") == 0);
  CHECK(unsetenv("CONCLAVE_LIBEXEC") == 0);
  ask(&loaded);
}

static void copy(const char* from, const char* to) {
  char block[65536];
  ssize_t size;
  const int source = open(from, O_RDONLY | O_CLOEXEC);
  const int target = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
  CHECK(source >= 0 && target >= 0);
  while ((size = read(source, block, sizeof block)) > 0) CHECK(write(target, block, (size_t)size) == size);
  CHECK(size == 0);
  close(source);
  close(target);
}

static void two_copies(const char* path) {
  char folder[] = "/tmp/conclave-loader-XXXXXX";
  char second[4096];
  library one, other;
  CHECK(mkdtemp(folder) != NULL);
  snprintf(second, sizeof second, "%s/libother.so", folder);
  copy(path, second);
  one = load(path, RTLD_GLOBAL);
  other = load(second, RTLD_LOCAL);
  CHECK(unlink(second) == 0 && rmdir(folder) == 0);
  CHECK((void*)one.handle != (void*)other.handle);
  ask(&one);
  ask(&other);
  ask(&one);
}

static void loaded_again_and_again(const char* path) {
  int i;
  for (i = 0; i < 50; ++i) {
    conclave_engine* engine = NULL;
    const library loaded = load(path, RTLD_LOCAL);
    CHECK(loaded.create(NULL, &engine, NULL) == CONCLAVE_OK);
    if (i % 25 == 0) ask(&loaded);
    loaded.destroy(engine);
    CHECK(dlclose(loaded.handle) == 0);
  }
}

int main(int count, char** arguments) {
  if (count != 3 || getenv("CONCLAVE_DATA") == NULL) return 2;
  if (strcmp(arguments[1], "relative_then_elsewhere") == 0) return relative_then_elsewhere(arguments[2]), 0;
  if (strcmp(arguments[1], "two_copies") == 0) return two_copies(arguments[2]), 0;
  if (strcmp(arguments[1], "loaded_again_and_again") == 0) return loaded_again_and_again(arguments[2]), 0;
  return 2;
}
