#include "CTerminal.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// Written before the handlers are there and not changed while they are.
static int input_file, output_file, wake_file;
static const char *enter_bytes, *leave_bytes;
static size_t enter_length, leave_length;
static struct termios before, raw;

// Whether the terminal is ours now; between a stop and going on it is not.
static atomic_int is_taken;
// Whether it is to be taken again when the process goes on.
static atomic_int is_wanted;

static const int deadly[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT, SIGILL,
                             SIGTRAP, SIGABRT, SIGBUS, SIGFPE,  SIGSEGV};
enum { deadly_count = sizeof deadly / sizeof *deadly };
static struct sigaction former_deadly[deadly_count];
static struct sigaction former_stop, former_continue, former_size;

static int write_all(const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(output_file, bytes, count);
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    bytes += written;
    count -= (size_t)written;
  }
  return 0;
}

static void release(void) {
  if (!atomic_exchange(&is_taken, 0)) return;
  write_all(leave_bytes, leave_length);
  tcsetattr(input_file, TCSAFLUSH, &before);
}

// In the background the terminal is somebody else's.
static int is_in_front(void) { return tcgetpgrp(input_file) == getpgrp(); }

static int acquire(void) {
  if (tcsetattr(input_file, TCSAFLUSH, &raw) != 0) return errno;
  return atomic_exchange(&is_taken, 1) ? 0 : write_all(enter_bytes, enter_length);
}

static void wake(char letter) {
  int error = errno;
  // A pipe that is full wakes as well.
  ssize_t ignored = write(wake_file, &letter, 1);
  (void)ignored;
  errno = error;
}

static void on_deadly(int number) {
  int error = errno;
  release();
  for (int i = 0; i < deadly_count; i++)
    if (deadly[i] == number) sigaction(number, &former_deadly[i], NULL);
  // Blocked until this returns. Then the signal's former action takes effect.
  raise(number);
  errno = error;
}

static void stop_here(void) {
  struct sigaction standard = {.sa_handler = SIG_DFL}, ours;
  sigset_t stop, old;
  release();
  sigaction(SIGTSTP, &standard, &ours);
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  raise(SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &stop, &old);
  // The process has stopped and goes on, or could not be stopped.
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  sigaction(SIGTSTP, &ours, NULL);
  if (atomic_load(&is_wanted) && !atomic_load(&is_taken) && is_in_front()) {
    acquire();
    wake('c');
  }
}

static void on_stop(int number) {
  (void)number;
  int error = errno;
  stop_here();
  errno = error;
}

static void on_continue(int number) {
  (void)number;
  int error = errno;
  // The shell may have changed the terminal's mode, whether we gave it back or not.
  if (atomic_load(&is_wanted) && is_in_front()) {
    acquire();
    wake('c');
  }
  errno = error;
}

static void on_size(int number) {
  (void)number;
  wake('w');
}

static void handle(int number, void (*handler)(int), struct sigaction *former) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigfillset(&action.sa_mask);
  sigaction(number, NULL, former);
  // An ignored signal, such as SIGHUP under nohup, stays ignored.
  if (former->sa_handler != SIG_IGN) sigaction(number, &action, NULL);
}

int cterminal_take(int input, int output, const char *enter, size_t enter_count, const char *leave,
                   size_t leave_count, int wake_descriptor) {
  static atomic_int is_registered;
  if (atomic_load(&is_wanted)) return EBUSY;
  if (tcgetattr(input, &before) != 0) return errno;
  input_file = input, output_file = output, wake_file = wake_descriptor;
  enter_bytes = enter, enter_length = enter_count;
  leave_bytes = leave, leave_length = leave_count;
  raw = before;
  cfmakeraw(&raw);
  raw.c_cc[VMIN] = 1, raw.c_cc[VTIME] = 0;
  if (!atomic_exchange(&is_registered, 1)) atexit(cterminal_give_back);
  for (int i = 0; i < deadly_count; i++) handle(deadly[i], on_deadly, &former_deadly[i]);
  handle(SIGTSTP, on_stop, &former_stop);
  handle(SIGCONT, on_continue, &former_continue);
  handle(SIGWINCH, on_size, &former_size);
  atomic_store(&is_wanted, 1);
  int error = acquire();
  if (error != 0) cterminal_give_back();
  return error;
}

void cterminal_give_back(void) {
  if (!atomic_exchange(&is_wanted, 0)) return;
  release();
  for (int i = 0; i < deadly_count; i++) sigaction(deadly[i], &former_deadly[i], NULL);
  sigaction(SIGTSTP, &former_stop, NULL);
  sigaction(SIGCONT, &former_continue, NULL);
  sigaction(SIGWINCH, &former_size, NULL);
}

int cterminal_write(const char *bytes, size_t count) {
  return atomic_load(&is_taken) ? write_all(bytes, count) : 0;
}

void cterminal_stop(void) { stop_here(); }

void cterminal_size(int output, int *columns, int *rows) {
  struct winsize size = {0};
  int error = ioctl(output, TIOCGWINSZ, &size);
  *columns = error == 0 ? size.ws_col : 0;
  *rows = error == 0 ? size.ws_row : 0;
}
