#ifndef CVTERM_SHIM_H
#define CVTERM_SHIM_H

#include <pty.h>
#include <vterm.h>

// POSIX_SPAWN_SETSID, which glibc shows with _GNU_SOURCE only.
enum { CVTERM_SPAWN_SETSID = 0x80 };

#endif
