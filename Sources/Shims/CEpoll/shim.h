#pragma once
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
