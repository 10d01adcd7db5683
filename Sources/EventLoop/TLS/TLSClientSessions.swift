import COpenSSL
import Synchronization

/// Resumable sessions of a client: the newest for each host and port. Each session is used once: a ticket seen twice reveals to an
/// eavesdropper that both connections belong to the same client (RFC 8446 appendix C.4).
///
/// From any thread.
final class TLSClientSessions: Sendable {
    /// Hosts whose session is kept; a further host replaces an arbitrary one.
    static let hostsMax = 64

    /// Owns one reference to an `SSL_SESSION`. `@unchecked Sendable`: handed from one owner to the next.
    private final class Kept: @unchecked Sendable {
        let pointer: OpaquePointer
        init(_ pointer: OpaquePointer) { self.pointer = pointer }
        deinit { SSL_SESSION_free(pointer) }
    }

    private let kept = Mutex<[String: Kept]>([:])

    init(_ handle: TLSContext.Handle) {
        _ = campanile_SSL_CTX_set_session_cache_mode(
            handle.pointer, Int(SSL_SESS_CACHE_CLIENT) | Int(SSL_SESS_CACHE_NO_INTERNAL))
        // In TLS 1.3 the ticket arrives after the handshake, with the first bytes that are read.
        SSL_CTX_sess_set_new_cb(handle.pointer) { ssl, session in
            guard let ssl, let session, let data = campanile_SSL_get_app_data(ssl) else { return 0 }
            let owner = Unmanaged<TLSSession>.fromOpaque(data).takeUnretainedValue()
            // Returning 1 takes ownership of the reference (SSL_CTX_sess_set_new_cb(3)).
            return owner.keep(session) ? 1 : 0
        }
    }

    /// Offers the host's session to the server, if there is one, and registers for the next session.
    func prepare(_ session: TLSSession, _ ssl: OpaquePointer, host: String, port: UInt16) {
        let key = "\(host):\(port)"
        session.resumptionKey = key
        // Unretained: the session frees its `SSL` before it is released itself.
        _ = campanile_SSL_set_app_data(ssl, Unmanaged.passUnretained(session).toOpaque())
        guard let old = kept.withLock({ $0.removeValue(forKey: key) }) else { return }
        if SSL_SESSION_is_resumable(old.pointer) == 1 { SSL_set_session(ssl, old.pointer) }
    }

    /// Keeps a session; takes ownership of the reference.
    func keep(_ session: OpaquePointer, for key: String) {
        let new = Kept(session)
        kept.withLock { kept in
            if kept.count >= Self.hostsMax, kept[key] == nil, let any = kept.keys.first { kept[any] = nil }
            kept[key] = new
        }
    }
}
