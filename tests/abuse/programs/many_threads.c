/* Starts 10,000 threads that wait; exits with 9 when one is refused. */
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static void* wait_here(void* argument) {
  for (;;) pause();
  return argument;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  for (int i = 0; i < 10000; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, wait_here, NULL) != 0) return 9;
  }
  return 0;
}
