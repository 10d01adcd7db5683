#pragma once
// Starts one program without the rights of the process that starts it: Linux's Landlock (files), seccomp (system calls), limits and, when
// the starting process is root, another user. Works without privileges and without user namespaces.
//
// In C, because nothing else may run between fork(2) and execve(2) in a process with threads: no allocation, no Swift runtime.
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

// The kernel's Landlock interface (linux/landlock.h, Documentation/userspace-api/landlock.rst). Declared here: Debian 12's headers end at
// version 2, and a newer kernel can do more.
enum {
    campanile_landlock_create = 444,
    campanile_landlock_add = 445,
    campanile_landlock_restrict = 446,
    campanile_landlock_path = 1,
    campanile_landlock_version_flag = 1,
    // O_PATH, which glibc declares only for _GNU_SOURCE.
    campanile_open_path = 010000000,
};
enum {
    campanile_fs_execute = 1 << 0,
    campanile_fs_write_file = 1 << 1,
    campanile_fs_read_file = 1 << 2,
    campanile_fs_read_dir = 1 << 3,
    campanile_fs_remove_file = 1 << 5,
    campanile_fs_make_reg = 1 << 8,
    campanile_fs_truncate = 1 << 14,
};
struct campanile_landlock_ruleset { uint64_t files, network, scoped; };
struct campanile_landlock_rule { uint64_t allowed; int32_t parent; } __attribute__((packed));

// Version of Landlock in this kernel; 0 for none.
static inline int campanile_landlock_version(void) {
    long version = syscall(campanile_landlock_create, NULL, 0, campanile_landlock_version_flag);
    return version < 0 ? 0 : (int)version;
}

#if defined(__x86_64__)
#define CAMPANILE_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CAMPANILE_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

// Whether this kernel filters system calls (prctl(2), PR_GET_SECCOMP). False on machines that the filter below was not written for.
static inline int campanile_has_seccomp(void) {
#ifdef CAMPANILE_AUDIT_ARCH
    return prctl(PR_GET_SECCOMP) >= 0;
#else
    return 0;
#endif
}

// From now on processes of the same user cannot read this process's memory or environment, or trace it; it leaves no core file.
static inline int campanile_hide_memory(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// What is started, and what it keeps. All lists end with NULL.
struct campanile_sandbox {
    char *const *command;
    char *const *environment;
    // Becomes standard output and error.
    int output;
    // Files and directories that the program may read, execute, or write and make files in.
    char *const *readable;
    char *const *executable;
    char *const *writable;
    uint64_t address_space_bytes, processor_seconds, file_bytes, descriptors;
    // Threads of its user, all of them; 0 for no limit.
    uint64_t tasks;
    int nice;
    // 1: the user and group below, without groups and capabilities.
    int changes_user;
    uint32_t user, group;
};

// A failed step, as the child reports it.
struct campanile_sandbox_failure { int step, code; };
enum {
    campanile_step_fork = 1,
    campanile_step_descriptors,
    campanile_step_limits,
    campanile_step_user,
    campanile_step_privileges,
    campanile_step_files,
    campanile_step_calls,
    campanile_step_program,
};

static inline uint64_t campanile_landlock_files(int version) {
    // Each version knows more: refer (2), truncate (3), device ioctl (5).
    uint64_t known = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
    return (UINT64_C(1) << known) - 1;
}

// A path that does not exist is not allowed either.
static inline int campanile_landlock_allow(int ruleset, char *const *paths, uint64_t allowed, uint64_t file_only) {
    for (; *paths != NULL; paths++) {
        int parent = open(*paths, campanile_open_path | O_CLOEXEC);
        if (parent < 0) { if (errno == ENOENT) continue; return -1; }
        struct campanile_landlock_rule rule = {allowed, parent};
        long result = syscall(campanile_landlock_add, ruleset, campanile_landlock_path, &rule, 0);
        // Rights on directories are refused for files.
        rule.allowed = file_only;
        if (result != 0 && errno == EINVAL) result = syscall(campanile_landlock_add, ruleset, campanile_landlock_path, &rule, 0);
        close(parent);
        if (result != 0) return -1;
    }
    return 0;
}

// Files but those of the lists, TCP, and sockets and signals of processes outside are out of reach. Without Landlock nothing happens.
static inline int campanile_restrict_files(const struct campanile_sandbox *sandbox) {
    int version = campanile_landlock_version();
    if (version == 0) return 0;
    struct campanile_landlock_ruleset rules = {campanile_landlock_files(version), 0, 0};
    // bind and connect of TCP (4); abstract sockets and signals (6).
    if (version >= 4) rules.network = 3;
    if (version >= 6) rules.scoped = 3;
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int ruleset = (int)syscall(campanile_landlock_create, &rules, size, 0);
    if (ruleset < 0) return -1;
    uint64_t read = campanile_fs_read_file | campanile_fs_read_dir;
    uint64_t write = campanile_fs_write_file | (version >= 3 ? campanile_fs_truncate : 0);
    uint64_t make = campanile_fs_make_reg | campanile_fs_remove_file;
    char *const devices[] = {"/dev/null", NULL};
    int failed =
        campanile_landlock_allow(ruleset, sandbox->readable, read, campanile_fs_read_file) != 0
        || campanile_landlock_allow(ruleset, sandbox->executable, read | campanile_fs_execute,
                                    campanile_fs_read_file | campanile_fs_execute) != 0
        || campanile_landlock_allow(ruleset, sandbox->writable, read | write | make, campanile_fs_read_file | write) != 0
        || campanile_landlock_allow(ruleset, devices, campanile_fs_read_file | campanile_fs_write_file,
                                    campanile_fs_read_file | campanile_fs_write_file) != 0
        || syscall(campanile_landlock_restrict, ruleset, 0) != 0;
    int code = errno;
    close(ruleset);
    errno = code;
    return failed ? -1 : 0;
}

#define CAMPANILE_RETURN(value) BPF_STMT(BPF_RET | BPF_K, (value))
#define CAMPANILE_LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
// The low half of an argument; the machines above are little-endian.
#define CAMPANILE_LOAD_ARGUMENT(index) CAMPANILE_LOAD(args[index])
// Skips one instruction when the loaded value is another.
#define CAMPANILE_IF(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, 1)
#define CAMPANILE_IF_BITS(bits) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(bits), 0, 1)
#define CAMPANILE_ALLOW(call) CAMPANILE_IF(__NR_##call), CAMPANILE_RETURN(SECCOMP_RET_ALLOW)
#define CAMPANILE_DENY(call, code) CAMPANILE_IF(__NR_##call), CAMPANILE_RETURN(SECCOMP_RET_ERRNO | (code))
// Allows a call only when an argument has one of two values; skips five instructions when it is another call.
#define CAMPANILE_ALLOW_WHEN(call, index, value, other)                                                              \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 6), CAMPANILE_LOAD_ARGUMENT(index), CAMPANILE_IF(value),      \
        CAMPANILE_RETURN(SECCOMP_RET_ALLOW), CAMPANILE_IF(other), CAMPANILE_RETURN(SECCOMP_RET_ALLOW),                \
        CAMPANILE_RETURN(SECCOMP_RET_ERRNO | EPERM)

// What a program needs that reads files, computes with threads and writes files, and no more: no sockets, no other processes (not even
// their priorities and limits), no change of modes and owners, which Landlock does not cover, no shared memory of others (System V), no
// namespaces, keys or kernel interfaces with a history of holes. A call that is not listed does not exist (ENOSYS), so that newer
// libraries fall back to older calls.
static inline int campanile_restrict_calls(void) {
#ifdef CAMPANILE_AUDIT_ARCH
    uint32_t self = (uint32_t)getpid();
    struct sock_filter filter[] = {
        CAMPANILE_LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CAMPANILE_AUDIT_ARCH, 1, 0),
        CAMPANILE_RETURN(SECCOMP_RET_KILL_PROCESS),
        CAMPANILE_LOAD(nr),
        CAMPANILE_ALLOW(read), CAMPANILE_ALLOW(write), CAMPANILE_ALLOW(close), CAMPANILE_ALLOW(fstat), CAMPANILE_ALLOW(newfstatat),
        CAMPANILE_ALLOW(lseek), CAMPANILE_ALLOW(mmap), CAMPANILE_ALLOW(mprotect), CAMPANILE_ALLOW(munmap), CAMPANILE_ALLOW(mremap),
        CAMPANILE_ALLOW(madvise), CAMPANILE_ALLOW(msync), CAMPANILE_ALLOW(brk), CAMPANILE_ALLOW(futex), CAMPANILE_ALLOW(openat),
        CAMPANILE_ALLOW(pread64), CAMPANILE_ALLOW(pwrite64), CAMPANILE_ALLOW(readv), CAMPANILE_ALLOW(writev),
        CAMPANILE_ALLOW(ftruncate), CAMPANILE_ALLOW(fallocate), CAMPANILE_ALLOW(fadvise64), CAMPANILE_ALLOW(fsync),
        CAMPANILE_ALLOW(fdatasync), CAMPANILE_ALLOW(sendfile), CAMPANILE_ALLOW(copy_file_range), CAMPANILE_ALLOW(statx),
        CAMPANILE_ALLOW(faccessat), CAMPANILE_ALLOW(readlinkat), CAMPANILE_ALLOW(getdents64), CAMPANILE_ALLOW(unlinkat),
        CAMPANILE_ALLOW(getcwd), CAMPANILE_ALLOW(statfs), CAMPANILE_ALLOW(fstatfs), CAMPANILE_ALLOW(umask),
        CAMPANILE_ALLOW(dup), CAMPANILE_ALLOW(dup3), CAMPANILE_ALLOW(pipe2), CAMPANILE_ALLOW(ppoll), CAMPANILE_ALLOW(pselect6),
        CAMPANILE_ALLOW(eventfd2), CAMPANILE_ALLOW(epoll_create1), CAMPANILE_ALLOW(epoll_ctl), CAMPANILE_ALLOW(epoll_pwait),
        CAMPANILE_ALLOW(memfd_create), CAMPANILE_ALLOW(getrandom), CAMPANILE_ALLOW(rt_sigaction), CAMPANILE_ALLOW(rt_sigprocmask),
        CAMPANILE_ALLOW(rt_sigreturn), CAMPANILE_ALLOW(sigaltstack), CAMPANILE_ALLOW(restart_syscall), CAMPANILE_ALLOW(sched_yield),
        CAMPANILE_ALLOW(sched_getaffinity), CAMPANILE_ALLOW(sched_getparam), CAMPANILE_ALLOW(sched_getscheduler),
        CAMPANILE_ALLOW(sched_get_priority_max), CAMPANILE_ALLOW(sched_get_priority_min), CAMPANILE_ALLOW(nanosleep),
        CAMPANILE_ALLOW(clock_nanosleep), CAMPANILE_ALLOW(clock_gettime), CAMPANILE_ALLOW(clock_getres), CAMPANILE_ALLOW(gettimeofday),
        CAMPANILE_ALLOW(times), CAMPANILE_ALLOW(getrusage), CAMPANILE_ALLOW(sysinfo), CAMPANILE_ALLOW(uname), CAMPANILE_ALLOW(getcpu),
        CAMPANILE_ALLOW(getpid), CAMPANILE_ALLOW(getppid), CAMPANILE_ALLOW(gettid), CAMPANILE_ALLOW(getuid), CAMPANILE_ALLOW(geteuid),
        CAMPANILE_ALLOW(getgid), CAMPANILE_ALLOW(getegid), CAMPANILE_ALLOW(getresuid), CAMPANILE_ALLOW(getresgid),
        CAMPANILE_ALLOW(set_tid_address), CAMPANILE_ALLOW(set_robust_list), CAMPANILE_ALLOW(membarrier), CAMPANILE_ALLOW(exit),
        CAMPANILE_ALLOW(exit_group), CAMPANILE_ALLOW(execve),
#ifdef __NR_rseq
        CAMPANILE_ALLOW(rseq),
#endif
#ifdef __NR_faccessat2
        CAMPANILE_ALLOW(faccessat2),
#endif
#ifdef __x86_64__
        CAMPANILE_ALLOW(arch_prctl), CAMPANILE_ALLOW(open), CAMPANILE_ALLOW(stat), CAMPANILE_ALLOW(lstat), CAMPANILE_ALLOW(access),
        CAMPANILE_ALLOW(readlink), CAMPANILE_ALLOW(unlink), CAMPANILE_ALLOW(pipe), CAMPANILE_ALLOW(dup2), CAMPANILE_ALLOW(poll),
        CAMPANILE_ALLOW(select), CAMPANILE_ALLOW(epoll_wait), CAMPANILE_ALLOW(time), CAMPANILE_ALLOW(getrlimit),
        CAMPANILE_ALLOW(getpgrp), CAMPANILE_DENY(fork, EPERM), CAMPANILE_DENY(vfork, EPERM),
#endif
        CAMPANILE_DENY(socket, EPERM), CAMPANILE_DENY(socketpair, EPERM), CAMPANILE_DENY(connect, EPERM), CAMPANILE_DENY(ptrace, EPERM),
        CAMPANILE_DENY(process_vm_readv, EPERM), CAMPANILE_DENY(process_vm_writev, EPERM), CAMPANILE_DENY(kill, EPERM),
        CAMPANILE_DENY(tkill, EPERM), CAMPANILE_DENY(unshare, EPERM), CAMPANILE_DENY(setns, EPERM), CAMPANILE_DENY(bpf, EPERM),
        CAMPANILE_DENY(mount, EPERM), CAMPANILE_DENY(shmget, EPERM), CAMPANILE_DENY(shmat, EPERM), CAMPANILE_DENY(semget, EPERM),
        CAMPANILE_DENY(msgget, EPERM), CAMPANILE_DENY(fchmod, EPERM), CAMPANILE_DENY(fchmodat, EPERM), CAMPANILE_DENY(fchownat, EPERM),
        CAMPANILE_DENY(setpriority, EPERM), CAMPANILE_DENY(userfaultfd, EPERM), CAMPANILE_DENY(perf_event_open, EPERM),
        // Of ioctl only whether it is a terminal (TCGETS) and close on exec (FIOCLEX); of fcntl no signals to other processes (F_SETOWN, F_SETOWN_EX).
        CAMPANILE_ALLOW_WHEN(ioctl, 1, 0x5401, 0x5451),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_fcntl, 0, 6), CAMPANILE_LOAD_ARGUMENT(1), CAMPANILE_IF(8),
        CAMPANILE_RETURN(SECCOMP_RET_ERRNO | EPERM), CAMPANILE_IF(15), CAMPANILE_RETURN(SECCOMP_RET_ERRNO | EPERM),
        CAMPANILE_RETURN(SECCOMP_RET_ALLOW),
        // Names of threads.
        CAMPANILE_ALLOW_WHEN(prctl, 0, PR_SET_NAME, PR_GET_NAME),
        // Of itself only.
        CAMPANILE_ALLOW_WHEN(prlimit64, 0, 0, self), CAMPANILE_ALLOW_WHEN(sched_getattr, 0, 0, self),
        CAMPANILE_ALLOW_WHEN(tgkill, 0, self, self),
        // Threads, not processes. Without clone3, whose flags a filter cannot see, libraries use clone.
        CAMPANILE_DENY(clone3, ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4), CAMPANILE_LOAD_ARGUMENT(0), CAMPANILE_IF_BITS(0x00010000),
        CAMPANILE_RETURN(SECCOMP_RET_ALLOW), CAMPANILE_RETURN(SECCOMP_RET_ERRNO | EPERM),
        CAMPANILE_RETURN(SECCOMP_RET_ERRNO | ENOSYS),
    };
    struct sock_fprog program = {(unsigned short)(sizeof filter / sizeof filter[0]), filter};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0) return 0;
    // A kernel without the filter; doctor and the log say so.
    return errno == EINVAL && !campanile_has_seccomp() ? 0 : -1;
#else
    return 0;
#endif
}

static inline int campanile_limit(int resource, uint64_t value) {
    struct rlimit limit = {value, value};
    struct rlimit present;
    if (getrlimit((__rlimit_resource_t)resource, &present) == 0 && present.rlim_max < value)
        limit.rlim_cur = limit.rlim_max = present.rlim_max;
    return setrlimit((__rlimit_resource_t)resource, &limit);
}

// The kernel ends the program before anything else when memory is short. The parent writes this once the program runs: before that, the
// child still has the memory of the server, which is hidden, and a process with hidden memory cannot write this about itself.
static inline void campanile_be_first_to_go(pid_t child) {
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/oom_score_adj", (int)child);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    if (write(file, "1000", 4) < 0) {}
    close(file);
}

static inline int campanile_drop_user(const struct campanile_sandbox *sandbox) {
    if (!sandbox->changes_user) return 0;
    for (int capability = 0; capability < 64; capability++)
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EINVAL) return -1;
    if (syscall(SYS_setgroups, 0, NULL) != 0 || syscall(SYS_setresgid, sandbox->group, sandbox->group, sandbox->group) != 0
        || syscall(SYS_setresuid, sandbox->user, sandbox->user, sandbox->user) != 0)
        return -1;
    return 0;
}

// Closes all descriptors of the server's but the standard ones and the report, which becomes the next: close_range(2), which kernels before
// 5.9 do not have. Closed now, not on exec: the limit of descriptors below counts those that are open.
static inline int campanile_close_others(int report) {
    int kept = 3;
    if (report != kept && syscall(SYS_dup3, report, kept, O_CLOEXEC) < 0) return -1;
    struct rlimit limit = {0, 0};
    if (syscall(436, kept + 1, ~0U, 0) == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return kept;
    for (rlim_t descriptor = (rlim_t)kept + 1; descriptor < limit.rlim_cur; descriptor++) close((int)descriptor);
    return kept;
}

// Runs in the child. Returns the step that failed; not at all otherwise.
static inline int campanile_enter(const struct campanile_sandbox *sandbox, int *report) {
    setsid();
    for (int signal_number = 1; signal_number < 65; signal_number++) signal(signal_number, SIG_DFL);
    int null = open("/dev/null", O_RDONLY);
    if (null < 0 || dup2(null, 0) < 0 || dup2(sandbox->output, 1) < 0 || dup2(sandbox->output, 2) < 0) return campanile_step_descriptors;
    int kept = campanile_close_others(*report);
    if (kept < 0) return campanile_step_descriptors;
    *report = kept;
    if (setpriority(PRIO_PROCESS, 0, sandbox->nice) != 0 && errno != EACCES) return campanile_step_limits;
    if (campanile_limit(RLIMIT_AS, sandbox->address_space_bytes) != 0 || campanile_limit(RLIMIT_CPU, sandbox->processor_seconds) != 0
        || campanile_limit(RLIMIT_FSIZE, sandbox->file_bytes) != 0 || campanile_limit(RLIMIT_NOFILE, sandbox->descriptors) != 0
        || (sandbox->tasks > 0 && campanile_limit(RLIMIT_NPROC, sandbox->tasks) != 0) || campanile_limit(RLIMIT_CORE, 0) != 0)
        return campanile_step_limits;
    if (campanile_drop_user(sandbox) != 0) return campanile_step_user;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return campanile_step_privileges;
    if (campanile_restrict_files(sandbox) != 0) return campanile_step_files;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (campanile_restrict_calls() != 0) return campanile_step_calls;
    execve(sandbox->command[0], sandbox->command, sandbox->environment);
    return campanile_step_program;
}

// Starts the program. Returns its process, or -1 with the failed step. Blocks until the program runs.
//
// vfork(2) and not fork(2): a fork copies the page tables of the server, which takes tens of milliseconds and stalls all of its threads. The
// child shares the memory until it runs the program, so it makes system calls only and changes nothing but its own stack. A change of user
// also hides the memory of the server, which the server wants anyway (campanile_hide_memory).
__attribute__((noinline)) static pid_t campanile_spawn_sandboxed(
    const struct campanile_sandbox *sandbox, struct campanile_sandbox_failure *failure) {
    int ends[2];
    failure->step = campanile_step_fork;
    if (syscall(SYS_pipe2, ends, O_CLOEXEC) != 0) { failure->code = errno; return -1; }
    // No handler of the server's may run in the child.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = vfork();
    if (child == 0) {
        struct campanile_sandbox_failure found;
        int report = ends[1];
        found.step = campanile_enter(sandbox, &report);
        found.code = errno;
        if (write(report, &found, sizeof found) < 0) {}
        _exit(126);
    }
    int code = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    ssize_t count = 0;
    if (child > 0) do count = read(ends[0], failure, sizeof *failure); while (count < 0 && errno == EINTR);
    close(ends[0]);
    if (child < 0) { failure->code = code; return -1; }
    if (count != (ssize_t)sizeof *failure) {
        campanile_be_first_to_go(child);
        return child;
    }
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return -1;
}
