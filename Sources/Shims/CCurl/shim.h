#pragma once
#include <curl/curl.h>
#include <signal.h>
#include <time.h>

// curl_easy_setopt and curl_easy_getinfo take any number of arguments, which Swift does not import: one function a type.
static inline CURLcode campanile_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode campanile_curl_set_size(CURL *handle, CURLoption option, long long value) {
    return curl_easy_setopt(handle, option, (curl_off_t)value);
}
static inline CURLcode campanile_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode campanile_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode campanile_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode campanile_curl_set_write(CURL *handle, size_t (*body)(char *, size_t, size_t, void *)) {
    return curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
}
static inline CURLcode campanile_curl_set_read(CURL *handle, size_t (*body)(char *, size_t, size_t, void *)) {
    return curl_easy_setopt(handle, CURLOPT_READFUNCTION, body);
}
static inline CURLcode campanile_curl_set_debug(
    CURL *handle, int (*body)(CURL *, curl_infotype, char *, size_t, void *)) {
    return curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, body);
}
static inline CURLcode campanile_curl_set_open_socket(
    CURL *handle, curl_socket_t (*body)(void *, curlsocktype, struct curl_sockaddr *)) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, body);
}
static inline CURLcode campanile_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode campanile_curl_get_size(CURL *handle, CURLINFO info, long long *value) {
    curl_off_t size = 0;
    CURLcode code = curl_easy_getinfo(handle, info, &size);
    *value = size;
    return code;
}

// A peer that is gone must not end the process: older versions write with write() below TLS. SIGPIPE is held back meanwhile, and taken
// off if this raised it.
static inline CURLcode campanile_curl_perform(CURL *handle) {
    sigset_t pipe_only, before, pending;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    CURLcode code = curl_easy_perform(handle);
    if (!sigismember(&pending, SIGPIPE)) {
        struct timespec none = {0, 0};
        while (sigtimedwait(&pipe_only, NULL, &none) == SIGPIPE) {}
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}
