#pragma once
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// OpenSSL offers these as macros, which Swift does not import.
static inline uint64_t campanile_SSL_CTX_set_options(SSL_CTX *context, uint64_t options) {
    return SSL_CTX_set_options(context, options);
}
static const uint64_t campanile_SSL_OP_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;
static const uint64_t campanile_SSL_OP_NO_COMPRESSION = SSL_OP_NO_COMPRESSION;
static const uint64_t campanile_SSL_OP_CIPHER_SERVER_PREFERENCE = SSL_OP_CIPHER_SERVER_PREFERENCE;
static const uint64_t campanile_SSL_OP_PRIORITIZE_CHACHA = SSL_OP_PRIORITIZE_CHACHA;
static const uint64_t campanile_SSL_OP_ENABLE_KTLS = SSL_OP_ENABLE_KTLS;

static inline void campanile_SSL_CTX_set_read_ahead(SSL_CTX *context, int yes) { SSL_CTX_set_read_ahead(context, yes); }
static inline long campanile_SSL_CTX_set_mode(SSL_CTX *context, long mode) { return SSL_CTX_set_mode(context, mode); }
static inline long campanile_SSL_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_session_cache_mode(context, mode);
}
static inline int campanile_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}
static inline int campanile_SSL_CTX_set_max_proto_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_max_proto_version(context, version);
}
static inline long campanile_SSL_CTX_set1_groups_list(SSL_CTX *context, const char *names) {
    return SSL_CTX_set1_groups_list(context, names);
}
static inline long campanile_SSL_CTX_get_ticket_keys(SSL_CTX *context, void *keys, size_t count) {
    return SSL_CTX_get_tlsext_ticket_keys(context, keys, count);
}
static inline long campanile_SSL_CTX_set_ticket_keys(SSL_CTX *context, void *keys, size_t count) {
    return SSL_CTX_set_tlsext_ticket_keys(context, keys, count);
}
static inline long campanile_SSL_set_tlsext_host_name(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, name);
}
static inline int campanile_SSL_set_app_data(SSL *ssl, void *data) { return SSL_set_app_data(ssl, data); }
static inline void *campanile_SSL_get_app_data(const SSL *ssl) { return SSL_get_app_data(ssl); }
static inline int campanile_SSL_sends_by_kernel(SSL *ssl) { return BIO_get_ktls_send(SSL_get_wbio(ssl)) != 0; }
static inline int campanile_SSL_receives_by_kernel(SSL *ssl) { return BIO_get_ktls_recv(SSL_get_rbio(ssl)) != 0; }
// Both sides' keys of the agreement stay with the SSL until it is freed: secrets, and half a kilobyte. Setting a key's type
// frees what it holds (EVP_PKEY_set_type(3)); the empty object stays OpenSSL's.
static inline void campanile_SSL_forget_agreement_keys(SSL *ssl) {
    EVP_PKEY *key = NULL;
    if (SSL_get_tmp_key(ssl, &key) == 1 && key != NULL) {
        EVP_PKEY_set_type(key, EVP_PKEY_get_id(key));
        EVP_PKEY_free(key);
    }
    key = NULL;
    if (SSL_get_peer_tmp_key(ssl, &key) == 1 && key != NULL) {
        EVP_PKEY_set_type(key, EVP_PKEY_get_id(key));
        EVP_PKEY_free(key);
    }
}
static inline EVP_PKEY *campanile_EVP_EC_gen_P256(void) { return EVP_EC_gen("P-256"); }
static inline void campanile_OPENSSL_free(void *bytes) { OPENSSL_free(bytes); }
static inline long campanile_BIO_get_mem_data(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }
static inline void campanile_X509_set_days(X509 *certificate, long from, long to) {
    X509_gmtime_adj(X509_getm_notBefore(certificate), from * 86400);
    X509_gmtime_adj(X509_getm_notAfter(certificate), to * 86400);
}

// Whether the kernel can take over a connection's records. A socket that is not connected cannot be handed over (ENOTCONN),
// and a kernel without the module knows no such protocol (ENOENT).
static inline int campanile_kernel_has_tls(void) {
#ifdef TCP_ULP
    int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0) return 0;
    int has = setsockopt(probe, IPPROTO_TCP, TCP_ULP, "tls", sizeof("tls")) == 0 || errno == ENOTCONN;
    close(probe);
    return has;
#else
    return 0;
#endif
}

// OpenSSL's socket BIO writes with write(), which ends the process with SIGPIPE when the peer is gone: a library must not
// do that to a program. So: OpenSSL's own method, but for writing.
static inline int campanile_socket_write(BIO *bio, const char *bytes, int count) {
    int (*original)(BIO *, const char *, int) = BIO_meth_get_write(BIO_s_socket());
    int descriptor = -1;
    BIO_get_fd(bio, &descriptor);
    errno = 0;
    int written;
    // OpenSSL's internal BIO_FLAGS_KTLS_TX_CTRL_MSG: with kernel TLS a record that is not data (an alert) goes out as a control
    // message, which is OpenSSL's to build. SIGPIPE is held back meanwhile, and taken off if this write raised it.
    if (BIO_test_flags(bio, 0x1000)) {
        sigset_t pipe_only, before, pending;
        sigemptyset(&pipe_only);
        sigaddset(&pipe_only, SIGPIPE);
        sigpending(&pending);
        pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
        written = original(bio, bytes, count);
        int saved = errno;
        if (written < 0 && saved == EPIPE && !sigismember(&pending, SIGPIPE)) {
            struct timespec none = {0, 0};
            sigtimedwait(&pipe_only, NULL, &none);
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        errno = saved;
        return written;
    }
    written = (int)send(descriptor, bytes, (size_t)count, MSG_NOSIGNAL);
    BIO_clear_retry_flags(bio);
    if (written <= 0 && BIO_sock_should_retry(written)) BIO_set_retry_write(bio);
    return written;
}

// Made once and kept for the life of the process.
static inline BIO_METHOD *campanile_socket_method(void) {
    const BIO_METHOD *socket = BIO_s_socket();
    BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOCKET, "campanile socket");
    if (method == NULL) return NULL;
    BIO_meth_set_write(method, campanile_socket_write);
    BIO_meth_set_read(method, BIO_meth_get_read(socket));
    BIO_meth_set_puts(method, BIO_meth_get_puts(socket));
    BIO_meth_set_ctrl(method, BIO_meth_get_ctrl(socket));
    BIO_meth_set_create(method, BIO_meth_get_create(socket));
    BIO_meth_set_destroy(method, BIO_meth_get_destroy(socket));
    return method;
}

// Joins a session to its socket; the descriptor stays the caller's.
static inline int campanile_SSL_set_socket(SSL *ssl, int descriptor, BIO_METHOD *method) {
    BIO *bio = BIO_new(method);
    if (bio == NULL) return 0;
    BIO_set_fd(bio, descriptor, BIO_NOCLOSE);
    // The one reference serves both directions (SSL_set_bio(3)).
    SSL_set_bio(ssl, bio, bio);
    return 1;
}
