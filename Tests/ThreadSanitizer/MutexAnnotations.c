// Tells ThreadSanitizer of the locks of Swift's Mutex, preloaded by deploy/nightly.
//
// On Linux a Mutex is a futex. Its fast path is compiled into the caller, where ThreadSanitizer sees
// the atomic operations. The slow path, taken when somebody else holds the lock, is in the runtime's
// libswiftSynchronization, which is not instrumented: accesses ordered by it alone would be reported
// as a race. So functions in its place call the slow path's and tell ThreadSanitizer of them.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Not there in programs that were built without ThreadSanitizer.
void __tsan_acquire(void *) __attribute__((weak));
void __tsan_release(void *) __attribute__((weak));

SWIFT void lock(uint32_t thread, SELF handle) __asm__(LOCK);
SWIFT bool try_lock(SELF handle) __asm__(TRY_LOCK);
SWIFT void unlock(SELF handle) __asm__(UNLOCK);

SWIFT void lock(uint32_t thread, SELF handle) {
  SWIFT void (*real)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
  real(thread, handle);
  if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT bool try_lock(SELF handle) {
  SWIFT bool (*real)(SELF) = dlsym(RTLD_NEXT, TRY_LOCK);
  bool locked = real(handle);
  if (locked && __tsan_acquire) __tsan_acquire(handle);
  return locked;
}

SWIFT void unlock(SELF handle) {
  SWIFT void (*real)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release) __tsan_release(handle);
  real(handle);
}
