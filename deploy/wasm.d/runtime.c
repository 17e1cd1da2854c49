// The functions that Embedded Swift needs at linking, for a module without a C library.

#include <stddef.h>
#include <stdint.h>

typedef unsigned __int128 number128;

extern unsigned char __heap_base;

// Blocks are powers of two, each with its exponent 16 bytes before it. A freed block waits in the
// list of its size.
enum { header = 16, page = 65536 };

struct block {
  struct block *next;
};

static struct block *freed[32];
static uintptr_t top;

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment > header) return 22;
  unsigned exponent = 5;
  while (((size_t)1 << exponent) - header < size) {
    if (++exponent == 31) return 12;
  }
  struct block *block = freed[exponent];
  if (block) {
    freed[exponent] = block->next;
    *result = block;
    return 0;
  }
  if (!top) top = ((uintptr_t)&__heap_base + header - 1) & ~(uintptr_t)(header - 1);
  size_t bytes = (size_t)1 << exponent;
  size_t have = (size_t)__builtin_wasm_memory_size(0) * page;
  if (have - top < bytes) {
    size_t pages = (bytes - (have - top) + page - 1) / page;
    if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) return 12;
  }
  *(unsigned *)top = exponent;
  *result = (void *)(top + header);
  top += bytes;
  return 0;
}

void free(void *pointer) {
  if (!pointer) return;
  struct block *block = pointer;
  unsigned exponent = *(unsigned *)((uintptr_t)pointer - header);
  block->next = freed[exponent];
  freed[exponent] = block;
}

void *memmove(void *to, const void *from, size_t count) {
  unsigned char *target = to;
  const unsigned char *source = from;
  if (target < source) {
    for (size_t i = 0; i < count; i++) target[i] = source[i];
  } else {
    while (count--) target[count] = source[count];
  }
  return to;
}

void *memcpy(void *to, const void *from, size_t count) { return memmove(to, from, count); }

void *memset(void *to, int value, size_t count) {
  unsigned char *target = to;
  for (size_t i = 0; i < count; i++) target[i] = (unsigned char)value;
  return to;
}

int memcmp(const void *left, const void *right, size_t count) {
  const unsigned char *a = left, *b = right;
  for (size_t i = 0; i < count; i++) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

// No result may depend on the seed of hashing, so that a test may fix it.
void arc4random_buf(void *buffer, size_t count) { memset(buffer, 0x5a, count); }

int putchar(int character) { return character; }

uintptr_t __stack_chk_guard = 0x5bd1e995;

_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }

// Shifts of UInt128, which compiler-rt has elsewhere.

number128 __ashlti3(number128 value, int by) {
  uint64_t low = (uint64_t)value, high = (uint64_t)(value >> 64);
  if (by & 64) {
    high = low << (by & 63);
    low = 0;
  } else if (by) {
    high = high << by | low >> (64 - by);
    low <<= by;
  }
  return (number128)high << 64 | low;
}

number128 __lshrti3(number128 value, int by) {
  uint64_t low = (uint64_t)value, high = (uint64_t)(value >> 64);
  if (by & 64) {
    low = high >> (by & 63);
    high = 0;
  } else if (by) {
    low = low >> by | high << (64 - by);
    high >>= by;
  }
  return (number128)high << 64 | low;
}

// And products, which show whether an Int64 overflows.

static number128 product(uint64_t left, uint64_t right) {
  uint64_t a = (uint32_t)left, b = left >> 32, c = (uint32_t)right, d = right >> 32;
  uint64_t low = a * c, middle = (low >> 32) + (uint32_t)(a * d) + (uint32_t)(b * c);
  uint64_t high = b * d + (a * d >> 32) + (b * c >> 32) + (middle >> 32);
  return (number128)high << 64 | middle << 32 | (uint32_t)low;
}

number128 __multi3(number128 left, number128 right) {
  uint64_t a = (uint64_t)left, b = (uint64_t)(left >> 64);
  uint64_t c = (uint64_t)right, d = (uint64_t)(right >> 64);
  return product(a, c) + ((number128)(a * d + b * c) << 64);
}
