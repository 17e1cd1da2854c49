// Sets on the clock of every process that preloads it by SECONDS. libfaketime would do, but
// moves the environment, before which Swift looks for a program's arguments.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
  int status = syscall(SYS_clock_gettime, clock, now);
  int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if (status == 0 && is_wall) now->tv_sec += SECONDS;
  return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec time;
  if (clock_gettime(CLOCK_REALTIME, &time)) return -1;
  now->tv_sec = time.tv_sec;
  now->tv_usec = time.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *now) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  if (now) *now = time.tv_sec;
  return time.tv_sec;
}
