#pragma once
#include <stdint.h>

/// Counts of this process since it began, where this library is preloaded or linked.
enum {
  /// Calls of malloc, calloc, realloc and their like by libpq, by librabbitmq, by all others.
  COUNTING_ALLOCATIONS_LIBPQ,
  COUNTING_ALLOCATIONS_LIBRABBITMQ,
  COUNTING_ALLOCATIONS_OTHER,
  /// Bytes and calls of send and recv.
  COUNTING_SENT_BYTES,
  COUNTING_RECEIVED_BYTES,
  COUNTING_SENDS,
  COUNTING_RECEIVES,
  COUNTING_KINDS,
};

/// Writes the totals so far, COUNTING_KINDS of them.
void counting_read(uint64_t *totals);

/// COUNTING_ALLOCATIONS_OTHER alone.
uint64_t counting_own_allocations(void);

/// Bytes that the heap has handed out.
uint64_t counting_heap_bytes(void);
