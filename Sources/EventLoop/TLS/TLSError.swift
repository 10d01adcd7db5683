import COpenSSL

/// What OpenSSL refused.
public struct TLSError: Error, CustomStringConvertible, Sendable {
    /// One plain fact and, where it can be told, what to do.
    public let description: String

    init(_ description: String) { self.description = description }

    /// The oldest error on this thread's queue, which is the cause; the queue is emptied.
    static func last(_ doing: String) -> TLSError {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0, let reason = ERR_reason_error_string(code) else { return TLSError(doing) }
        return TLSError("\(doing): \(String(cString: reason))")
    }
}

/// What a TLS connection agreed on, for metrics and tests.
public struct TLSDetails: Sendable, Equatable {
    /// `TLSv1.3` or `TLSv1.2`.
    public let version: String
    /// OpenSSL's name of the cipher suite, such as `TLS_AES_128_GCM_SHA256`.
    public let cipher: String
    /// The protocol that ALPN settled (RFC 7301), `http/1.1`; nil when the client did not ask.
    public let applicationProtocol: String?
    /// The handshake took up an earlier session (RFC 8446 §2.2): no certificate was sent or verified.
    public let isResumed: Bool
    /// The kernel encrypts what is sent (kTLS).
    public let kernelSends: Bool
    /// The kernel decrypts what arrives (kTLS).
    public let kernelReceives: Bool
}

extension SocketConnection {
    /// What TLS agreed on; nil without TLS and until the handshake is through. On the loop.
    public var tlsDetails: TLSDetails? {
        loop.preconditionIsolated()
        return phase == .connecting || phase == .handshaking ? nil : tls?.details
    }
}
