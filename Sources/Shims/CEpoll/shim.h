#pragma once
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

// glibc declares accept4 only for _GNU_SOURCE, which Swift's C importer does not set.
static inline int campanile_accept4(int descriptor, void *address, uint32_t *length, int flags) {
    return (int)syscall(SYS_accept4, descriptor, address, length, flags);
}
