// A full disk for a PostgreSQL that this is preloaded into (LD_PRELOAD). While the file that
// FULL_DISK_FLAG names exists, no file of a table or an index grows, as if the volume of the data were
// full and the log had one of its own. Existing blocks can be overwritten.
#define _GNU_SOURCE
#include "fulldisk.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static bool is_refused(int file, off64_t end) {
  const char *flag = getenv("FULL_DISK_FLAG");
  struct stat64 found;
  if (!flag || access(flag, F_OK) != 0 || fstat64(file, &found) != 0 || end <= found.st_size)
    return false;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return false;
  path[size] = 0;
  return strstr(path, "/base/") != NULL;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  static ssize_t (*next)(int, const void *, size_t, off64_t);
  if (!next) next = (ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
  if (is_refused(file, offset + (off64_t)count)) {
    errno = ENOSPC;
    return -1;
  }
  return next(file, bytes, count, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  return pwrite64(file, bytes, count, offset);
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t offset) {
  static ssize_t (*next)(int, const struct iovec *, int, off64_t);
  if (!next)
    next = (ssize_t (*)(int, const struct iovec *, int, off64_t))dlsym(RTLD_NEXT, "pwritev64");
  off64_t end = offset;
  for (int i = 0; i < count; i++) end += (off64_t)parts[i].iov_len;
  if (is_refused(file, end)) {
    errno = ENOSPC;
    return -1;
  }
  return next(file, parts, count, offset);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
  return pwritev64(file, parts, count, offset);
}

int posix_fallocate64(int file, off64_t offset, off64_t length) {
  static int (*next)(int, off64_t, off64_t);
  if (!next) next = (int (*)(int, off64_t, off64_t))dlsym(RTLD_NEXT, "posix_fallocate64");
  return is_refused(file, offset + length) ? ENOSPC : next(file, offset, length);
}

int posix_fallocate(int file, off_t offset, off_t length) {
  return posix_fallocate64(file, offset, length);
}
