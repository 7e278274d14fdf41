#include "lib/guest/supervisor/processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_text(const char* path, char* out, size_t size) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t count = read(file, out, size - 1);
  close(file);
  if (count <= 0) return 0;
  out[count] = '\0';
  return 1;
}

int process_look_briefly(pid_t pid, struct process_view* view) {
  char path[48];
  char text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  if (!read_text(path, text, sizeof text)) return 0;
  /* The name in parentheses is the program's to choose: what counts comes after the last one. */
  const char* const rest = strrchr(text, ')');
  if (rest == NULL) return 0;
  int parent;
  long threads;
  unsigned long long user, system, started;
  long long children_user, children_system;
  if (sscanf(rest + 2, "%c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld %*d %*d %ld %*d %llu", &view->state,
             &parent, &user, &system, &children_user, &children_system, &threads, &started) != 8) {
    return 0;
  }
  view->parent = parent;
  view->threads = (int32_t)threads;
  view->started = started;
  view->own_ticks = user + system;
  view->children_ticks = (uint64_t)(children_user + children_system);
  view->memory_bytes = 0;
  view->address_peak_bytes = 0;
  return 1;
}

/* "RssAnon:     1234 kB" in bytes; 0 when the line is missing, as for a zombie. */
static int64_t kilobytes(const char* status, const char* name) {
  const char* const line = strstr(status, name);
  return line == NULL ? 0 : strtoll(line + strlen(name), NULL, 10) * 1024;
}

/* The first thread may end before the others and shows no memory from then on: what any other thread shows is the process's. */
static int read_status_of_thread(pid_t pid, char* out, size_t size) {
  char path[96];
  snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
  DIR* const threads = opendir(path);
  if (threads == NULL) return 0;
  int found = 0;
  for (const struct dirent* entry = readdir(threads); entry != NULL && !found; entry = readdir(threads)) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/status", (int)pid, entry->d_name);
    found = read_text(path, out, size) && strstr(out, "\nRssAnon:") != NULL;
  }
  closedir(threads);
  return found;
}

int process_look(pid_t pid, struct process_view* view) {
  char path[48];
  char text[4096];
  if (!process_look_briefly(pid, view)) return 0;
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  if (!read_text(path, text, sizeof text)) return 0;
  if (view->state == 'Z' && view->threads > 1 && !read_status_of_thread(pid, text, sizeof text)) return 1;
  view->memory_bytes = kilobytes(text, "\nRssAnon:") + kilobytes(text, "\nRssShmem:") + kilobytes(text, "\nHugetlbPages:");
  view->address_peak_bytes = kilobytes(text, "\nVmPeak:");
  return 1;
}

/* Appends the numbers in the file at `path`; -1 when there is no such file. */
static int append_children(const char* path, pid_t* out, int count, int capacity) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  char buffer[4096];
  pid_t value = 0;
  ssize_t got;
  while ((got = read(file, buffer, sizeof buffer)) > 0) {
    for (ssize_t i = 0; i < got; ++i) {
      if (buffer[i] >= '0' && buffer[i] <= '9') {
        value = value * 10 + (buffer[i] - '0');
      } else if (value > 0) {
        if (count < capacity) out[count++] = value;
        value = 0;
      }
    }
  }
  close(file);
  return count;
}

int process_children(pid_t pid, pid_t* out, int capacity) {
  char path[96];
  snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
  DIR* const threads = opendir(path);
  if (threads == NULL) return 0;
  int count = 0;
  int listed = 0;
  for (const struct dirent* entry = readdir(threads); entry != NULL; entry = readdir(threads)) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", (int)pid, entry->d_name);
    const int next = append_children(path, out, count, capacity);
    if (next < 0) continue; /* the thread has ended, or the kernel has no such file */
    listed = 1;
    count = next;
  }
  closedir(threads);
  return listed || pid != getpid() ? count : -1;
}

int process_all(pid_t* out, int capacity) {
  DIR* const all = opendir("/proc");
  if (all == NULL) return 0;
  int count = 0;
  for (const struct dirent* entry = readdir(all); entry != NULL && count < capacity; entry = readdir(all)) {
    const int pid = atoi(entry->d_name);
    if (pid > 0) out[count++] = pid;
  }
  closedir(all);
  return count;
}
