// Counts allocations and traffic of a process that it is preloaded into (LD_PRELOAD) or linked with.
#define _GNU_SOURCE
#include "counting.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

enum { LIBPQ, LIBRABBITMQ, OTHER };
static _Atomic uint64_t counted[COUNTING_KINDS];

// Where the code of the two libraries lies; set before main, read only afterwards.
static struct { uintptr_t low, high; } ranges[2];

static int note(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  int kind = strstr(info->dlpi_name, "libpq.so")         ? LIBPQ
             : strstr(info->dlpi_name, "librabbitmq.so") ? LIBRABBITMQ
                                                         : OTHER;
  if (kind == OTHER) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
    ranges[kind].low = info->dlpi_addr + header->p_vaddr;
    ranges[kind].high = ranges[kind].low + header->p_memsz;
  }
  return 0;
}

__attribute__((constructor)) static void begin(void) { dl_iterate_phdr(note, NULL); }

static inline void add(int kind, uint64_t amount) {
  atomic_fetch_add_explicit(&counted[kind], amount, memory_order_relaxed);
}

static inline void count(const void *caller) {
  uintptr_t address = (uintptr_t)caller;
  int kind = OTHER;
  for (int i = 0; i < OTHER; i++)
    if (address >= ranges[i].low && address < ranges[i].high) kind = i;
  add(COUNTING_ALLOCATIONS_LIBPQ + kind, 1);
}

void *malloc(size_t size) {
  count(__builtin_return_address(0));
  return __libc_malloc(size);
}

void *calloc(size_t members, size_t size) {
  count(__builtin_return_address(0));
  return __libc_calloc(members, size);
}

void *realloc(void *old, size_t size) {
  count(__builtin_return_address(0));
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  count(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  count(__builtin_return_address(0));
  void *memory = __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}

static void sent(ssize_t bytes) {
  add(COUNTING_SENDS, 1);
  if (bytes > 0) add(COUNTING_SENT_BYTES, (uint64_t)bytes);
}

static void received(ssize_t bytes) {
  add(COUNTING_RECEIVES, 1);
  if (bytes > 0) add(COUNTING_RECEIVED_BYTES, (uint64_t)bytes);
}

ssize_t send(int socket, const void *bytes, size_t size, int flags) {
  ssize_t result = sendto(socket, bytes, size, flags, NULL, 0);
  sent(result);
  return result;
}

ssize_t recv(int socket, void *bytes, size_t size, int flags) {
  ssize_t result = recvfrom(socket, bytes, size, flags, NULL, NULL);
  received(result);
  return result;
}

ssize_t writev(int descriptor, const struct iovec *parts, int parts_count) {
  static ssize_t (*next)(int, const struct iovec *, int);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "writev");
  ssize_t result = next(descriptor, parts, parts_count);
  sent(result);
  return result;
}

void counting_read(uint64_t *totals) {
  for (int i = 0; i < COUNTING_KINDS; i++) totals[i] = counted[i];
}

// A program that knows nothing of this library leaves its totals in a file.
__attribute__((destructor)) static void end(void) {
  const char *path = getenv("COUNTING_TOTALS");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  for (int i = 0; i < COUNTING_KINDS; i++) fprintf(file, "%llu\n", (unsigned long long)counted[i]);
  fclose(file);
}

uint64_t counting_own_allocations(void) { return counted[COUNTING_ALLOCATIONS_OTHER]; }

uint64_t counting_heap_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
