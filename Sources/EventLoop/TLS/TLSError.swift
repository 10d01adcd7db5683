import COpenSSL

/// Error reported by OpenSSL.
public struct TLSError: Error, CustomStringConvertible, Sendable {
    /// The problem and, where known, its remedy.
    public let description: String

    init(_ description: String) { self.description = description }

    /// Returns the oldest error in this thread's queue, which is the cause, and empties the queue.
    static func last(_ doing: String) -> TLSError {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0, let reason = ERR_reason_error_string(code) else { return TLSError(doing) }
        return TLSError("\(doing): \(String(cString: reason))")
    }
}

/// Negotiated parameters of a TLS connection, for metrics and tests.
public struct TLSDetails: Sendable, Equatable {
    /// `TLSv1.3` or `TLSv1.2`.
    public let version: String
    /// OpenSSL's name of the cipher suite, such as `TLS_AES_128_GCM_SHA256`.
    public let cipher: String
    /// Protocol negotiated by ALPN (RFC 7301), `http/1.1`; nil if the client offered none.
    public let applicationProtocol: String?
    /// Whether the handshake resumed an earlier session (RFC 8446 §2.2), without sending or verifying a certificate.
    public let isResumed: Bool
    /// Whether the kernel encrypts sent data (kTLS).
    public let kernelSends: Bool
    /// Whether the kernel decrypts received data (kTLS).
    public let kernelReceives: Bool
}

extension SocketConnection {
    /// Negotiated TLS parameters; nil without TLS and before the handshake is complete. On the loop.
    public var tlsDetails: TLSDetails? {
        loop.preconditionIsolated()
        return phase == .connecting || phase == .handshaking ? nil : tls?.details
    }
}
