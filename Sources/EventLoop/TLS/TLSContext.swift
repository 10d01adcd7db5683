import COpenSSL
import Glibc
import Synchronization

/// Certificates and settings that many TLS connections share: TLS 1.2 and 1.3.
///
/// A server's context can be renewed while connections are open (``reload()``): new handshakes get the new certificate, and
/// connections keep the one they began with until they end.
///
/// From any thread: what changes is behind mutexes, and an `SSL_CTX` is thread-safe once set up (OpenSSL, SSL_CTX_new(3)).
public final class TLSContext: Sendable {
    /// Owns one reference to an `SSL_CTX`. `@unchecked Sendable`: the pointer is constant, and see above.
    final class Handle: @unchecked Sendable {
        let pointer: OpaquePointer

        init(_ method: OpaquePointer?) throws {
            guard let pointer = SSL_CTX_new(method) else { throw TLSError.last("cannot make a TLS context") }
            self.pointer = pointer
        }

        deinit { SSL_CTX_free(pointer) }
    }

    /// Where a server's certificate comes from.
    struct Files: Sendable {
        let certificate: String
        let key: String
    }

    let isServer: Bool
    private let files: Files?
    private let current: Mutex<Handle>
    private let loaded: Mutex<Loaded>
    /// Sessions to resume; a client's only.
    let sessions: TLSClientSessions?

    /// What is in use since when.
    private struct Loaded {
        var stamps: [FileStamp]
        var ticketKeysMadeAt: UInt64

        func areTicketKeysOld(at now: UInt64) -> Bool {
            .nanoseconds(now &- ticketKeysMadeAt) >= TLSContext.ticketKeysLifetime
        }
    }

    /// A server's context.
    /// - Parameters:
    ///   - certificateFile: PEM, the server's certificate first, then the chain.
    ///   - keyFile: PEM, its private key.
    /// - Throws: ``TLSError`` naming the file that cannot be used.
    public init(certificateFile: String, keyFile: String) throws {
        let files = Files(certificate: certificateFile, key: keyFile)
        isServer = true
        self.files = files
        sessions = nil
        // The stamps are older than what is read: a file that changes in between is read again.
        loaded = Mutex(
            Loaded(stamps: FileStamp.of([certificateFile, keyFile]), ticketKeysMadeAt: EventLoop.nowNanoseconds))
        current = Mutex(try Self.makeServer(files))
    }

    private init(client handle: Handle, sessions: TLSClientSessions?) {
        isServer = false
        files = nil
        self.sessions = sessions
        loaded = Mutex(Loaded(stamps: [], ticketKeysMadeAt: 0))
        current = Mutex(handle)
    }

    /// A client's context: verifies the server's name against the system's authorities, or against `authorityFile`.
    /// - Parameters:
    ///   - authorityFile: PEM with the authorities to trust instead of the system's.
    ///   - isResuming: Later connections to the same host take up an earlier one's session: a cheaper handshake for both
    ///     sides. False for measuring full handshakes.
    /// - Throws: ``TLSError`` naming the file that cannot be used.
    public static func client(authorityFile: String? = nil, isResuming: Bool = true) throws -> TLSContext {
        let handle = try makeClient(authorityFile: authorityFile)
        return TLSContext(client: handle, sessions: isResuming ? TLSClientSessions(handle) : nil)
    }

    /// Whether the kernel can take over the encryption of connections (kTLS): Linux with the `tls` module loaded.
    public static let kernelHasTLS = campanile_kernel_has_tls() != 0

    // MARK: Renewal

    /// Reads certificate and key again. Handshakes from now on use them; open connections stay as they are, and session
    /// tickets stay valid, unless their keys are older than ``ticketKeysLifetime``. Reads files: call it off the loops.
    /// - Throws: ``TLSError`` naming the file that cannot be used: then the certificate in use stays.
    public func reload() throws {
        guard let files else { return }
        let stamps = FileStamp.of([files.certificate, files.key])
        let handle: Handle
        do {
            handle = try Self.makeServer(files)
        } catch {
            // Not tried again before it changes: one line in the log, not one a look.
            loaded.withLock { $0.stamps = stamps }
            throw error
        }
        let now = EventLoop.nowNanoseconds
        let keepsKeys = loaded.withLock { loaded in
            loaded.stamps = stamps
            let isOld = loaded.areTicketKeysOld(at: now)
            if isOld { loaded.ticketKeysMadeAt = now }
            return !isOld
        }
        current.withLock { current in
            if keepsKeys { Self.copyTicketKeys(from: current, to: handle) }
            current = handle
        }
    }

    /// Whether ``reload()`` has something to do: a file changed since it was read, or the ticket keys are old. Looks at
    /// files: call it off the loops.
    public var needsReload: Bool {
        guard let files else { return false }
        let stamps = FileStamp.of([files.certificate, files.key])
        let now = EventLoop.nowNanoseconds
        return loaded.withLock {
            $0.stamps != stamps || $0.areTicketKeysOld(at: now)
        }
    }

    // MARK: Sessions

    private static let socketMethod = BIOMethod()

    /// `@unchecked Sendable`: constant after it is made.
    private final class BIOMethod: @unchecked Sendable {
        let pointer = campanile_socket_method()
    }

    /// - Parameters:
    ///   - descriptor: A connected or connecting socket; it stays the caller's.
    ///   - serverName: A client's: the name or address that the certificate must bear.
    ///   - port: With the name, what sessions to resume are found by.
    func makeSession(descriptor: Int32, serverName: String? = nil, port: UInt16 = 0) throws -> TLSSession {
        let handle = current.withLock { $0 }
        guard let ssl = SSL_new(handle.pointer) else { throw TLSError.last("cannot make a TLS session") }
        // From here on the session owns it, and frees it when something below fails.
        let session = TLSSession(ssl, context: self)
        guard let method = Self.socketMethod.pointer, campanile_SSL_set_socket(ssl, descriptor, method) == 1 else {
            throw TLSError.last("cannot make a TLS session")
        }
        guard !isServer else {
            SSL_set_accept_state(ssl)
            return session
        }
        if let serverName {
            // OpenSSL takes an address for an address here. Without this check any valid certificate would do.
            guard SSL_set1_host(ssl, serverName) == 1 else {
                throw TLSError.last("the server's name cannot be verified")
            }
            // Addresses are not permitted as a server name (RFC 6066 §3).
            if IPAddress(serverName) == nil {
                guard campanile_SSL_set_tlsext_host_name(ssl, serverName) == 1 else {
                    throw TLSError.last("the server's name cannot be sent")
                }
            }
            sessions?.prepare(session, ssl, host: serverName, port: port)
        }
        SSL_set_connect_state(ssl)
        return session
    }
}

/// What tells that a file is another than before: it was written, or replaced by renaming.
struct FileStamp: Equatable, Sendable {
    private let device: UInt
    private let inode: UInt
    private let bytes: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// Follows links, as certificate clients replace links. A missing file has a stamp too.
    init(_ path: String) {
        var status = stat()
        let isThere = stat(path, &status) == 0
        device = isThere ? UInt(status.st_dev) : 0
        inode = isThere ? UInt(status.st_ino) : 0
        bytes = isThere ? Int(status.st_size) : -1
        seconds = isThere ? Int(status.st_mtim.tv_sec) : 0
        nanoseconds = isThere ? Int(status.st_mtim.tv_nsec) : 0
    }

    static func of(_ paths: [String]) -> [FileStamp] { paths.map(FileStamp.init) }
}
