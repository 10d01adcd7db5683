import COpenSSL
import Glibc

extension TLSContext {
    /// TLS 1.2 ciphers: forward secrecy and authenticated encryption only (Mozilla's "intermediate" configuration without
    /// finite-field Diffie-Hellman, which costs the server most).
    static let ciphers12 = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
    ]
    /// TLS 1.3 ciphers: AES-128 first, because its SHA-256 transcripts also take the least memory.
    static let ciphers13 = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"]
    /// Groups for the key exchange, in order of preference.
    static let groups = ["X25519", "P-256", "P-384"]
    /// The only protocol offered, by its ALPN name (RFC 7301 §6). HTTP/2 has no WebSocket upgrade here.
    static let applicationProtocol = Array("http/1.1".utf8)
    /// Tickets issued in a TLS 1.3 handshake. A client uses each once (RFC 8446 appendix C.4) and then receives a new one.
    static let ticketsPerHandshake = 1
    /// How long a ticket can resume its session.
    static let ticketLifetime = Duration.seconds(12 * 3_600)
    /// Age at which ``reload()`` replaces the ticket keys, so that stolen keys cannot decrypt older TLS 1.2 connections. (A
    /// resumption in TLS 1.3 negotiates fresh keys anyway.)
    static let ticketKeysLifetime = Duration.seconds(24 * 3_600)
    /// Name, secret and key of OpenSSL's tickets: 16 + 32 + 32 bytes.
    private static let ticketKeyBytes = 80
    private static let sessionIDContext = Array("campanile".utf8)

    /// Creates a context with the settings common to server and client.
    private static func make(_ method: OpaquePointer?) throws -> Handle {
        let handle = try Handle(method)
        let context = handle.pointer
        guard campanile_SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1,
            campanile_SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1,
            SSL_CTX_set_cipher_list(context, ciphers12.joined(separator: ":")) == 1,
            SSL_CTX_set_ciphersuites(context, ciphers13.joined(separator: ":")) == 1,
            campanile_SSL_CTX_set1_groups_list(context, groups.joined(separator: ":")) == 1
        else { throw TLSError.last("this OpenSSL does not support TLS 1.2 and 1.3") }
        // Releases buffers between records, so that an idle connection stays small. Read-ahead takes everything from the socket in
        // one call, instead of one call for a record's header and one for the rest; `hasPending` reveals what is left over.
        campanile_SSL_CTX_set_read_ahead(context, 1)
        _ = campanile_SSL_CTX_set_mode(
            context,
            Int(SSL_MODE_ENABLE_PARTIAL_WRITE) | Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER)
                | Int(SSL_MODE_RELEASE_BUFFERS))
        var options =
            campanile_SSL_OP_NO_RENEGOTIATION | campanile_SSL_OP_NO_COMPRESSION
            | campanile_SSL_OP_CIPHER_SERVER_PREFERENCE
            // A client that prefers ChaCha20 has no AES hardware, so its preference applies.
            | campanile_SSL_OP_PRIORITIZE_CHACHA
        if kernelHasTLS { options |= campanile_SSL_OP_ENABLE_KTLS }
        _ = campanile_SSL_CTX_set_options(context, options)
        // No session cache: tickets carry a server's sessions, and ``TLSClientSessions`` keeps a client's.
        _ = campanile_SSL_CTX_set_session_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
        return handle
    }

    static func makeServer(_ files: Files) throws -> Handle {
        let handle = try make(TLS_server_method())
        let context = handle.pointer
        guard SSL_CTX_use_certificate_chain_file(context, files.certificate) == 1 else {
            throw TLSError.last("certificate \(files.certificate) cannot be used (PEM expected)")
        }
        guard SSL_CTX_use_PrivateKey_file(context, files.key, SSL_FILETYPE_PEM) == 1 else {
            throw TLSError.last("private key \(files.key) cannot be used (PEM expected)")
        }
        guard SSL_CTX_check_private_key(context) == 1 else {
            throw TLSError.last("private key \(files.key) does not belong to certificate \(files.certificate)")
        }
        guard SSL_CTX_set_session_id_context(context, sessionIDContext, UInt32(sessionIDContext.count)) == 1,
            SSL_CTX_set_num_tickets(context, ticketsPerHandshake) == 1,
            // No early data: it can be replayed (RFC 8446 §8).
            SSL_CTX_set_max_early_data(context, 0) == 1, SSL_CTX_set_recv_max_early_data(context, 0) == 1
        else { throw TLSError.last("cannot set up TLS sessions") }
        SSL_CTX_set_timeout(context, Int(ticketLifetime.components.seconds))
        SSL_CTX_set_alpn_select_cb(context, selectProtocol, nil)
        return handle
    }

    static func makeClient(authorityFile: String?) throws -> Handle {
        let handle = try make(TLS_client_method())
        let context = handle.pointer
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        if let authorityFile {
            guard SSL_CTX_load_verify_locations(context, authorityFile, nil) == 1 else {
                throw TLSError.last("authority file \(authorityFile) cannot be used (PEM expected)")
            }
        } else if SSL_CTX_set_default_verify_paths(context) != 1 {
            throw TLSError.last("the system's certificate authorities cannot be found")
        }
        let offered = [UInt8(applicationProtocol.count)] + applicationProtocol
        // Unlike other OpenSSL functions, this one returns 0 for success.
        guard SSL_CTX_set_alpn_protos(context, offered, UInt32(offered.count)) == 0 else {
            throw TLSError.last("cannot offer a protocol")
        }
        return handle
    }

    static func copyTicketKeys(from old: Handle, to new: Handle) {
        withUnsafeTemporaryAllocation(byteCount: ticketKeyBytes, alignment: 1) { keys in
            guard let start = keys.baseAddress,
                campanile_SSL_CTX_get_ticket_keys(old.pointer, start, keys.count) == 1
            else { return }
            _ = campanile_SSL_CTX_set_ticket_keys(new.pointer, start, keys.count)
            OPENSSL_cleanse(start, keys.count)
        }
    }
}

/// Selects a protocol among those that a client offers by ALPN: `http/1.1`. Otherwise the handshake ends with the alert
/// `no_application_protocol` (RFC 7301 §3.2).
private func selectProtocol(
    _ ssl: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ chosenBytes: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ offeredBytes: UInt32,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let offered else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    let list = UnsafeBufferPointer(start: offered, count: Int(offeredBytes))
    var index = 0
    while index < list.count {
        let length = Int(list[index])
        let end = index + 1 + length
        guard end <= list.count else { break }
        if list[(index + 1)..<end].elementsEqual(TLSContext.applicationProtocol) {
            // Points into the client's offer, which outlives the call.
            chosen?.pointee = offered + index + 1
            chosenBytes?.pointee = UInt8(length)
            return SSL_TLSEXT_ERR_OK
        }
        index = end
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
