import COpenSSL
import Glibc

/// TLS state of one connection over its socket. On the connection's loop only.
final class TLSSession {
    /// Size of a TLS record. Queued messages are copied together up to this size, so that small messages share a record.
    static let recordBytesMax = 16_384
    /// Queued arrays considered for one record.
    static let recordArraysMax = 1_024

    enum HandshakeResult {
        case done, wantsRead, wantsWrite
        case failed(any Error)
    }

    private var ssl: OpaquePointer?
    /// Keeps a client's sessions for later connections.
    private let context: TLSContext
    /// For a client: key under which its session is kept.
    var resumptionKey: String?

    init(_ ssl: OpaquePointer, context: TLSContext) {
        self.ssl = ssl
        self.context = context
    }

    deinit { free() }

    var isServer: Bool { context.isServer }

    /// Whether OpenSSL holds bytes from the socket that were not read yet. No readiness event announces them. They need not be a
    /// whole record.
    var hasPending: Bool { ssl.map { SSL_has_pending($0) == 1 } ?? false }

    func handshake() -> HandshakeResult {
        guard let ssl else { return .failed(TLSError("TLS session is closed")) }
        forgetErrors()
        let status = SSL_do_handshake(ssl)
        if status == 1 {
            campanile_SSL_forget_agreement_keys(ssl)
            ERR_clear_error()
            return .done
        }
        switch SSL_get_error(ssl, status) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_SYSCALL:
            return .failed(SystemError(call: "TLS handshake", code: errno == 0 ? ECONNRESET : errno))
        default: return .failed(TLSError.last("TLS handshake failed"))
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> SocketConnection.IOResult {
        guard let ssl else { return .end }
        forgetErrors()
        let count = SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
        return count > 0 ? .bytes(Int(count)) : result(of: count, doing: "TLS read failed")
    }

    /// Writes at most one record from the front of the connection's queue.
    ///
    /// A write that would block is repeated with the same bytes at the front, perhaps followed by more, perhaps at another address.
    /// OpenSSL has encrypted them already and requires only that their number does not decrease
    /// (`SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER`). Therefore no state is kept between two attempts.
    func write(from connection: SocketConnection) -> SocketConnection.IOResult {
        guard let ssl, connection.queuedBytes > 0 else { return .end }
        if let result = connection.withFirstQueued(filling: Self.recordBytesMax, { write($0, ssl) }) { return result }
        return withUnsafeTemporaryAllocation(byteCount: Self.recordBytesMax, alignment: 1) { record in
            var filled = 0
            connection.forEachQueued(Self.recordArraysMax) { bytes in
                let source = UnsafeRawBufferPointer(rebasing: bytes.prefix(record.count - filled))
                guard !source.isEmpty else { return }
                UnsafeMutableRawBufferPointer(rebasing: record[filled...]).copyMemory(from: source)
                filled += source.count
            }
            return write(UnsafeRawBufferPointer(rebasing: record[..<filled]), ssl)
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, _ ssl: OpaquePointer) -> SocketConnection.IOResult {
        forgetErrors()
        let count = SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count))
        return count > 0 ? .bytes(Int(count)) : result(of: count, doing: "TLS write failed")
    }

    /// Clears errors of earlier calls, which would be misread when a call fails (SSL_get_error(3)).
    private func forgetErrors() {
        ERR_clear_error()
        errno = 0
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

    /// Sends close_notify (RFC 8446 §6.1), if the handshake is complete.
    func shutdown() {
        guard let ssl, SSL_is_init_finished(ssl) == 1 else { return }
        forgetErrors()
        SSL_shutdown(ssl)
    }

    func free() {
        if let ssl { SSL_free(ssl) }
        ssl = nil
    }

    /// Keeps a session for later connections.
    /// - Returns: Whether ownership of the reference was taken.
    func keep(_ session: OpaquePointer) -> Bool {
        guard let resumptionKey, let sessions = context.sessions else { return false }
        sessions.keep(session, for: resumptionKey)
        return true
    }

    var isResumed: Bool { ssl.map { SSL_session_reused($0) == 1 } ?? false }

    /// `1.3` or `1.2`.
    var version: String { ssl.map { SSL_version($0) } == TLS1_3_VERSION ? "1.3" : "1.2" }

    var details: TLSDetails? {
        guard let ssl, SSL_is_init_finished(ssl) == 1 else { return nil }
        var name: UnsafePointer<UInt8>?
        var nameBytes: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &nameBytes)
        let selected = name.map {
            String(decoding: UnsafeBufferPointer(start: $0, count: Int(nameBytes)), as: UTF8.self)
        }
        return TLSDetails(
            version: String(cString: SSL_get_version(ssl)),
            cipher: String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl))),
            applicationProtocol: selected, isResumed: SSL_session_reused(ssl) == 1,
            kernelSends: campanile_SSL_sends_by_kernel(ssl) != 0,
            kernelReceives: campanile_SSL_receives_by_kernel(ssl) != 0)
    }
}
