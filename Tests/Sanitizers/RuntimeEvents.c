// Tells ThreadSanitizer what it cannot see of Swift's runtime, which is not instrumented: how a mutex that is waited for, and a
// continuation, order two threads. Loaded by deploy/sanitize thread before everything else (LD_PRELOAD).
//
// A mutex that is free is taken by an atomic in our own, instrumented code. One that is not is waited for inside of
// libswiftSynchronization, by the kernel (futex(2), FUTEX_LOCK_PI): there the sanitizer sees neither the lock nor the unlock, and
// takes what the mutex orders for a race. These functions stand in for the library's, and name the two events.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// Absent in the programs without a sanitizer that the tests start.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

static void *original(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) abort();
    return function;
}

// The mutex is its first word, which the atomics are on, too.
SWIFT void mutexLock(uint32_t thread, SELF mutex) __asm__(LOCK);
SWIFT void mutexLock(uint32_t thread, SELF mutex) {
    static SWIFT void (*function)(uint32_t, SELF);
    if (function == NULL) function = original(LOCK);
    function(thread, mutex);
    if (__tsan_acquire != NULL) __tsan_acquire(mutex);
}

SWIFT bool mutexTryLock(SELF mutex) __asm__(TRY_LOCK);
SWIFT bool mutexTryLock(SELF mutex) {
    static SWIFT bool (*function)(SELF);
    if (function == NULL) function = original(TRY_LOCK);
    bool isLocked = function(mutex);
    if (isLocked && __tsan_acquire != NULL) __tsan_acquire(mutex);
    return isLocked;
}

SWIFT void mutexUnlock(SELF mutex) __asm__(UNLOCK);
SWIFT void mutexUnlock(SELF mutex) {
    static SWIFT void (*function)(SELF);
    if (function == NULL) function = original(UNLOCK);
    if (__tsan_release != NULL) __tsan_release(mutex);
    function(mutex);
}

// A continuation that is resumed before its task comes to wait for it: the runtime tells the sanitizer of the resume (a release of the
// task), but swift_continuation_await, which sees that by an atomic of its own, lets the task go on without the counterpart, so what
// one thread makes and a task is handed looks like a race. (A program with nothing but `withCheckedContinuation`, resumed from another
// thread with a new object that is then read, is reported when the closure returns after the resume, and not when it does before.)
// The first that our code does when an asynchronous call has returned is to free the call's frame: the counterpart goes there.
extern void *swift_task_getCurrent(void) __attribute__((weak)) SWIFT;

SWIFT void taskDealloc(void *frame) __asm__("swift_task_dealloc");
SWIFT void taskDealloc(void *frame) {
    static SWIFT void (*function)(void *);
    if (function == NULL) function = original("swift_task_dealloc");
    function(frame);
    void *task = __tsan_acquire != NULL && swift_task_getCurrent != NULL ? swift_task_getCurrent() : NULL;
    if (task != NULL) __tsan_acquire(task);
}
