// Kills a process that it is preloaded into (LD_PRELOAD) in front of one of its steps. A step is an
// act that others can see: the process writes, syncs, renames or removes a file, or sends bytes.
// CUBIST_KILL_AT is the number of the step, from 1; without it nothing is killed. CUBIST_KILL_STEPS
// is a file that gets a letter for each step.
#define _GNU_SOURCE
#include "killing.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static long kill_at;
static int steps_file = -1;
static atomic_long count;

__attribute__((constructor)) static void begin(void) {
  const char *at = getenv("CUBIST_KILL_AT"), *steps = getenv("CUBIST_KILL_STEPS");
  if (at) kill_at = strtol(at, NULL, 10);
  if (steps) steps_file = open(steps, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void step(char letter) {
  if (atomic_fetch_add(&count, 1) + 1 == kill_at) kill(getpid(), SIGKILL);
  if (steps_file >= 0) syscall(SYS_write, steps_file, &letter, 1);
}

#define NEXT(result, name, ...)                     \
  static result (*next)(__VA_ARGS__);               \
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, name)

ssize_t write(int file, const void *bytes, size_t size) {
  step(file <= STDERR_FILENO ? 'o' : 'w');
  NEXT(ssize_t, "write", int, const void *, size_t);
  return next(file, bytes, size);
}

int fsync(int file) {
  step('f');
  NEXT(int, "fsync", int);
  return next(file);
}

int rename(const char *from, const char *to) {
  step('r');
  NEXT(int, "rename", const char *, const char *);
  return next(from, to);
}

int unlink(const char *path) {
  step('u');
  NEXT(int, "unlink", const char *);
  return next(path);
}

ssize_t send(int socket, const void *bytes, size_t size, int flags) {
  step('s');
  NEXT(ssize_t, "send", int, const void *, size_t, int);
  return next(socket, bytes, size, flags);
}

ssize_t writev(int file, const struct iovec *parts, int parts_count) {
  step('s');
  NEXT(ssize_t, "writev", int, const struct iovec *, int);
  return next(file, parts, parts_count);
}
