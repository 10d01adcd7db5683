#pragma once
#include <stdint.h>
#include <sys/epoll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// glibc declares accept4 only for _GNU_SOURCE, which Swift's C importer does not set.
static inline int campanile_accept4(int descriptor, void *address, uint32_t *length, int flags) {
    return (int)syscall(SYS_accept4, descriptor, address, length, flags);
}

// prctl takes variable arguments, which Swift does not import: the process ends when the one that started it does.
static inline int campanile_end_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL); }

// CPU_SET is a macro. The calling thread, and what it starts from now on, runs on one core; all of them for -1.
static inline int campanile_run_on_core(int core) {
    unsigned long mask[16];
    for (int i = 0; i < 16; i++) mask[i] = core < 0 ? ~0UL : 0;
    if (core >= 0) mask[core / 64 % 16] = 1UL << core % 64;
    return (int)syscall(SYS_sched_setaffinity, 0, sizeof mask, mask);
}
