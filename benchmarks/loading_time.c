/* Prints how many microseconds this process, which is fresh, takes to load the libraries of its arguments, in their order. */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

int main(int count, char** arguments) {
  struct timespec begin, end;
  int i;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (i = 1; i < count; ++i) {
    if (dlopen(arguments[i], RTLD_NOW | RTLD_LOCAL) == NULL) {
      fprintf(stderr, "loading_time: %s\n", dlerror());
      return 1;
    }
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%.3f\n", (double)(end.tv_sec - begin.tv_sec) * 1e6 + (double)(end.tv_nsec - begin.tv_nsec) / 1e3);
  return 0;
}
