import COpenSSL
import Glibc
import Synchronization

/// Certificates and settings that many TLS connections share: TLS 1.2 and 1.3.
///
/// A server's context can be renewed while connections are open (``reload()``): new handshakes use the new certificate, and open
/// connections keep their old one until they end.
///
/// From any thread: mutable state is behind mutexes, and an `SSL_CTX` is thread-safe once set up (OpenSSL, SSL_CTX_new(3)).
public final class TLSContext: Sendable {
    /// Owns one reference to an `SSL_CTX`. `@unchecked Sendable`: the pointer is constant, and an `SSL_CTX` is thread-safe once set
    /// up.
    final class Handle: @unchecked Sendable {
        let pointer: OpaquePointer

        init(_ method: OpaquePointer?) throws {
            guard let pointer = SSL_CTX_new(method) else { throw TLSError.last("cannot make a TLS context") }
            self.pointer = pointer
        }

        deinit { SSL_CTX_free(pointer) }
    }

    /// Files of a server's certificate and key.
    struct Files: Sendable {
        let certificate: String
        let key: String
    }

    let isServer: Bool
    private let files: Files?
    private let current: Mutex<Handle>
    private let loaded: Mutex<Loaded>
    /// Resumable sessions; nil for a server.
    let sessions: TLSClientSessions?

    /// State of the files and ticket keys in use.
    private struct Loaded {
        var stamps: [FileStamp]
        var ticketKeysMadeAt: UInt64

        func areTicketKeysOld(at now: UInt64) -> Bool {
            .nanoseconds(now &- ticketKeysMadeAt) >= TLSContext.ticketKeysLifetime
        }
    }

    /// Creates a server's context.
    /// - Parameters:
    ///   - certificateFile: PEM, the server's certificate first, then the chain.
    ///   - keyFile: PEM, the private key.
    /// - Throws: ``TLSError`` with the name of the unusable file.
    public init(certificateFile: String, keyFile: String) throws {
        let files = Files(certificate: certificateFile, key: keyFile)
        isServer = true
        self.files = files
        sessions = nil
        // The stamps are taken before the files are read: a file that changes in between will be read again.
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

    /// Creates a client's context, which verifies the server's name against the system's authorities, or against `authorityFile`.
    /// - Parameters:
    ///   - authorityFile: PEM with the authorities to trust instead of the system's.
    ///   - isResuming: True to resume sessions in later connections to the same host, which makes the handshake cheaper for both
    ///     sides. False for measuring full handshakes.
    /// - Throws: ``TLSError`` with the name of the unusable file.
    public static func client(authorityFile: String? = nil, isResuming: Bool = true) throws -> TLSContext {
        let handle = try makeClient(authorityFile: authorityFile)
        return TLSContext(client: handle, sessions: isResuming ? TLSClientSessions(handle) : nil)
    }

    /// Whether the kernel can encrypt connections (kTLS): Linux with the `tls` module loaded.
    public static let kernelHasTLS = campanile_kernel_has_tls() != 0

    // MARK: Renewal

    /// Reads certificate and key again. Later handshakes use them; open connections stay unchanged. Session tickets stay valid
    /// unless their keys are older than ``ticketKeysLifetime``. Reads files: call it off the loops.
    /// - Throws: ``TLSError`` with the name of the unusable file; the certificate in use then stays.
    public func reload() throws {
        guard let files else { return }
        let stamps = FileStamp.of([files.certificate, files.key])
        let handle: Handle
        do {
            handle = try Self.makeServer(files)
        } catch {
            // Retried only after the file changes again, so that a broken file causes one log line and not one for each check.
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

    /// Whether ``reload()`` has work to do: a file changed since it was read, or the ticket keys are old. Accesses files: call it
    /// off the loops.
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

    /// `@unchecked Sendable`: constant after it is created.
    private final class BIOMethod: @unchecked Sendable {
        let pointer = campanile_socket_method()
    }

    /// Creates the TLS session of one connection.
    /// - Parameters:
    ///   - descriptor: A connected or connecting socket. The caller keeps ownership.
    ///   - serverName: For a client: the name or address that the certificate must contain.
    ///   - port: For a client: identifies the session to resume, together with the name.
    func makeSession(descriptor: Int32, serverName: String? = nil, port: UInt16 = 0) throws -> TLSSession {
        let handle = current.withLock { $0 }
        guard let ssl = SSL_new(handle.pointer) else { throw TLSError.last("cannot make a TLS session") }
        // The session now owns `ssl`, and frees it if a later step fails.
        let session = TLSSession(ssl, context: self)
        guard let method = Self.socketMethod.pointer, campanile_SSL_set_socket(ssl, descriptor, method) == 1 else {
            throw TLSError.last("cannot make a TLS session")
        }
        guard !isServer else {
            SSL_set_accept_state(ssl)
            return session
        }
        if let serverName {
            // Verifies the name in the certificate; OpenSSL recognises addresses. Without this check any valid certificate would be
            // accepted.
            guard SSL_set1_host(ssl, serverName) == 1 else {
                throw TLSError.last("the server's name cannot be verified")
            }
            // SNI does not permit addresses (RFC 6066 §3).
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

/// Identity of a file's content: differs after the file is written, or replaced by renaming.
struct FileStamp: Equatable, Sendable {
    private let device: UInt
    private let inode: UInt
    private let bytes: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// Follows links, because certificate clients replace links. A missing file has a stamp too.
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
