#pragma once
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <unistd.h>

// glibc declares accept4 only for _GNU_SOURCE, which Swift's C importer does not set.
static inline int campanile_accept4(int descriptor, void *address, uint32_t *length, int flags) {
    return (int)syscall(SYS_accept4, descriptor, address, length, flags);
}

// The same of pipe2, here with both ends closed on exec, and of what closes a child's descriptors from a number on.
static inline int campanile_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }
static inline int campanile_close_from(posix_spawn_file_actions_t *actions, int from) {
    extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
    return posix_spawn_file_actions_addclosefrom_np(actions, from);
}

// Swift 6 takes environ(7) for shared mutable state and refuses it.
static inline char **campanile_environment(void) {
    extern char **environ;
    return environ;
}

// renameat2(2) with RENAME_NOREPLACE, which glibc declares only for _GNU_SOURCE.
static inline int campanile_rename_new(const char *from, const char *to) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1);
}

// Whether the kernel says that somebody, such as an NTP client, keeps its clock right (adjtimex(2)). 0 as well when it does not answer.
static inline int campanile_clock_is_synchronised(void) {
    struct timex clock = {0};
    int state = adjtimex(&clock);
    return state >= 0 && state != TIME_ERROR && !(clock.status & STA_UNSYNC);
}

// recv(2) and send(2) without glibc's cancellation points: in a process with threads these are two atomic operations and two calls
// more, a hundredth of what an echo takes, and nobody cancels these threads. -1 and errno on failure.
static inline ssize_t campanile_recv(int descriptor, void *bytes, size_t count) {
    return syscall(SYS_recvfrom, (long)descriptor, bytes, count, 0L, 0L, 0L);
}
static inline ssize_t campanile_send(int descriptor, const void *bytes, size_t count) {
    return syscall(SYS_sendto, (long)descriptor, bytes, count, (long)MSG_NOSIGNAL, 0L, 0L);
}

// An IPv4 stream socket, closed on exec. Whether Swift sees the names of socket(2)'s types in a file depends on what else is compiled
// with it.
static inline int campanile_tcp_socket(void) { return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }

// What tells one thread from another, without a call.
static inline uintptr_t campanile_thread(void) { return (uintptr_t)__builtin_thread_pointer(); }

// Fetches an object's memory before it is needed. Any address will do.
static inline void campanile_prefetch(const void *address, size_t lines) {
    for (size_t i = 0; i < lines; i++) __builtin_prefetch((const char *)address + i * 64);
}

// Swift finds SOCK_SEQPACKET in some compilations and not in others, as both Glibc and this module have it.
static inline int campanile_seqpacket_socket(void) { return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0); }

// Descriptors travel in ancillary data, whose layout is macros (cmsg(3)). So many at most in one message.
enum { campanile_descriptors_max = 16 };

static inline ssize_t campanile_send_descriptors(
    int channel, const void *bytes, size_t count, const int *descriptors, int descriptor_count) {
    char control[CMSG_SPACE(sizeof(int) * campanile_descriptors_max)] = {0};
    struct iovec part = {(void *)bytes, count};
    struct msghdr message = {0};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (descriptor_count > campanile_descriptors_max) { errno = EINVAL; return -1; }
    if (descriptor_count > 0) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptor_count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * descriptor_count);
        memcpy(CMSG_DATA(header), descriptors, sizeof(int) * descriptor_count);
    }
    return sendmsg(channel, &message, MSG_NOSIGNAL);
}

static inline ssize_t campanile_receive_descriptors(
    int channel, void *bytes, size_t count, int *descriptors, int *descriptor_count) {
    char control[CMSG_SPACE(sizeof(int) * campanile_descriptors_max)];
    struct iovec part = {bytes, count};
    struct msghdr message = {0};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    *descriptor_count = 0;
    ssize_t received = recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
    if (received < 0) return received;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        int found = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        for (int i = 0; i < found && *descriptor_count < campanile_descriptors_max; i++)
            memcpy(&descriptors[(*descriptor_count)++], CMSG_DATA(header) + i * sizeof(int), sizeof(int));
    }
    return received;
}

// The user at the other end of a Unix socket; -1 when it cannot be told.
static inline int campanile_peer_user(int channel, unsigned *user) {
    // struct ucred, which glibc declares only for _GNU_SOURCE.
    struct { int process; unsigned user, group; } credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(channel, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
    *user = credentials.user;
    return 0;
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
