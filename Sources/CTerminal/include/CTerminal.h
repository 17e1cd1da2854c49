#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <stddef.h>

// One terminal, taken over by this process: raw, and given back at any end or stop of the process.
// Signal handlers here call only functions that POSIX allows them.

// Takes the terminal over: raw mode, then the bytes `enter` are written. `leave` is written whenever it
// is given back. Both have to stay where they are. `wake` is a file to which a letter is written when
// the size changes ('w') or the process goes on after a stop ('c').
// Returns 0, or the error.
int cterminal_take(int input, int output, const char *enter, size_t enter_count, const char *leave,
                   size_t leave_count, int wake);

// Gives it back; without effect where it is not taken.
void cterminal_give_back(void);

// Writes all bytes while the terminal is taken. Returns 0, or the error.
int cterminal_write(const char *bytes, size_t count);

// Gives it back and stops the process as Ctrl-Z does; returns when it goes on.
void cterminal_stop(void);

// The size in columns and rows; 0 where the terminal does not say.
void cterminal_size(int output, int *columns, int *rows);

#endif
