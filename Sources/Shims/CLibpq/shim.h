#pragma once
#include <libpq-fe.h>
#include <spawn.h>

// glibc declares these for _GNU_SOURCE only, which Swift's Glibc module does not define.
extern int pipe2(int descriptors[2], int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
