import COpenSSL
import Glibc

/// What OpenSSL refused.
public struct TLSError: Error, CustomStringConvertible, Sendable {
    /// One plain fact and, where it can be told, what to do.
    public let description: String

    static func last(_ doing: String) -> TLSError {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0, let reason = ERR_reason_error_string(code) else { return TLSError(description: doing) }
        return TLSError(description: "\(doing): \(String(cString: reason))")
    }
}

/// Certificates and settings that many TLS connections share.
///
/// `@unchecked Sendable`: the pointer is constant and an `SSL_CTX` is thread-safe once set up (OpenSSL, SSL_CTX_new(3)).
public final class TLSContext: @unchecked Sendable {
    private let context: OpaquePointer
    private let isServer: Bool

    private init(_ method: OpaquePointer?, isServer: Bool) throws {
        guard let context = SSL_CTX_new(method) else { throw TLSError.last("cannot make a TLS context") }
        self.context = context
        self.isServer = isServer
        _ = campanile_SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION)
        // Buffers are given back between records: an idle connection stays small (design: 14 kB).
        _ = campanile_SSL_CTX_set_mode(
            context,
            Int(SSL_MODE_ENABLE_PARTIAL_WRITE) | Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER)
                | Int(SSL_MODE_RELEASE_BUFFERS))
        _ = campanile_SSL_CTX_refuse_renegotiation(context)
    }

    /// A server's context.
    /// - Parameters:
    ///   - certificateFile: PEM, the server's certificate first, then the chain.
    ///   - keyFile: PEM, its private key.
    /// - Throws: ``TLSError`` naming the file that cannot be used.
    public convenience init(certificateFile: String, keyFile: String) throws {
        try self.init(TLS_server_method(), isServer: true)
        guard SSL_CTX_use_certificate_chain_file(context, certificateFile) == 1 else {
            throw TLSError.last("certificate \(certificateFile) cannot be used (PEM expected)")
        }
        guard SSL_CTX_use_PrivateKey_file(context, keyFile, SSL_FILETYPE_PEM) == 1 else {
            throw TLSError.last("private key \(keyFile) cannot be used (PEM expected)")
        }
        guard SSL_CTX_check_private_key(context) == 1 else {
            throw TLSError.last("private key \(keyFile) does not belong to certificate \(certificateFile)")
        }
    }

    /// A client's context: verifies the server's name against the system's authorities, or against `authorityFile`.
    public static func client(authorityFile: String? = nil) throws -> TLSContext {
        let context = try TLSContext(TLS_client_method(), isServer: false)
        SSL_CTX_set_verify(context.context, SSL_VERIFY_PEER, nil)
        if let authorityFile {
            guard SSL_CTX_load_verify_locations(context.context, authorityFile, nil) == 1 else {
                throw TLSError.last("authority file \(authorityFile) cannot be used (PEM expected)")
            }
        } else {
            SSL_CTX_set_default_verify_paths(context.context)
        }
        return context
    }

    deinit { SSL_CTX_free(context) }

    func makeSession(descriptor: Int32, serverName: String? = nil) throws -> TLSSession {
        guard let ssl = SSL_new(context), SSL_set_fd(ssl, descriptor) == 1 else {
            throw TLSError.last("cannot make a TLS session")
        }
        if isServer {
            SSL_set_accept_state(ssl)
        } else {
            if let serverName {
                _ = campanile_SSL_set_tlsext_host_name(ssl, serverName)
                SSL_set1_host(ssl, serverName)
            }
            SSL_set_connect_state(ssl)
        }
        return TLSSession(ssl)
    }
}

/// One connection's TLS state over its socket. On the connection's loop only.
final class TLSSession {
    /// One TLS record's worth of queued messages is copied together, so small pushes share a record.
    static let recordBytesMax = 16_384
    /// Queued arrays looked at for one record.
    static let recordArraysMax = 1_024

    enum HandshakeResult {
        case done, wantsRead, wantsWrite
        case failed(any Error)
    }

    private var ssl: OpaquePointer?
    /// What an interrupted `SSL_write` must be given again.
    private var record: [UInt8] = []

    init(_ ssl: OpaquePointer) { self.ssl = ssl }

    var hasPending: Bool { ssl.map { SSL_pending($0) > 0 } ?? false }

    func handshake() -> HandshakeResult {
        guard let ssl else { return .failed(TLSError(description: "TLS session is closed")) }
        ERR_clear_error()
        let status = SSL_do_handshake(ssl)
        if status == 1 { return .done }
        switch SSL_get_error(ssl, status) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        default: return .failed(TLSError.last("TLS handshake failed"))
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> SocketConnection.IOResult {
        guard let ssl else { return .end }
        ERR_clear_error()
        let count = SSL_read(ssl, buffer.baseAddress, Int32(buffer.count))
        return count > 0 ? .bytes(Int(count)) : result(of: count, doing: "TLS read failed")
    }

    func write(from connection: SocketConnection) -> SocketConnection.IOResult {
        guard let ssl else { return .end }
        if record.isEmpty {
            connection.forEachQueued(Self.recordArraysMax) { bytes in
                record.append(contentsOf: bytes.prefix(Self.recordBytesMax - record.count))
            }
        }
        ERR_clear_error()
        let count = record.withUnsafeBytes { SSL_write(ssl, $0.baseAddress, Int32($0.count)) }
        guard count > 0 else { return result(of: count, doing: "TLS write failed") }
        record.removeAll(keepingCapacity: false)
        return .bytes(Int(count))
    }

    private func result(of status: Int32, doing: String) -> SocketConnection.IOResult {
        guard let ssl else { return .end }
        switch SSL_get_error(ssl, status) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .wouldBlock
        case SSL_ERROR_ZERO_RETURN: return .end
        case SSL_ERROR_SYSCALL:
            return errno == 0 ? .end : .failed(SystemError(call: doing, code: errno))
        default: return .failed(TLSError.last(doing))
        }
    }

    func shutdown() {
        guard let ssl else { return }
        ERR_clear_error()
        SSL_shutdown(ssl)
    }

    func free() {
        if let ssl { SSL_free(ssl) }
        ssl = nil
    }
}
