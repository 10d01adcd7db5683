import CEpoll
import Glibc
import Logging

/// A listening TCP socket that hands accepted connections, round robin, to a set of loops.
///
/// `@unchecked Sendable`: confined to its accepting loop, the first of the set.
public final class Listener: @unchecked Sendable, DescriptorHandler {
    /// Connections the kernel holds until they are accepted.
    static let backlogMax: Int32 = 4_096
    /// Accepts per readiness, so that the loop's own connections get their turn.
    static let acceptsPerEventMax = 64

    /// Where it listens, with the port the kernel chose when 0 was asked for.
    public let address: SocketAddress

    private let descriptor: Int32
    private let loops: [EventLoop]
    private let tls: TLSContext?
    private let logger: Logger
    private let onAccept: @Sendable (SocketConnection) -> Void
    private var registration: Registration?
    private var nextLoop = 0
    /// Given back for a moment when the process has no descriptor left, so that the peer can be turned away and the
    /// listener does not spin on a connection it cannot take.
    private var reserve: Int32

    /// Binds and listens. Blocks for name resolution; call it off the loops.
    /// - Parameters:
    ///   - host: Address to bind, such as `127.0.0.1`, `::` or a name.
    ///   - port: Port, or 0 for any.
    ///   - loops: At least one; the first accepts.
    ///   - tls: Given, connections speak TLS.
    ///   - onAccept: Called on the connection's own loop; it must call `start`.
    /// - Throws: ``SystemError`` (`bind: Address already in use`), ``SocketAddress/ResolutionError``.
    public init(
        host: String, port: UInt16, loops: [EventLoop], tls: TLSContext? = nil,
        logger: Logger = Logger(label: "campanile.listener"), onAccept: @escaping @Sendable (SocketConnection) -> Void
    ) throws {
        precondition(!loops.isEmpty, "a listener needs a loop")
        let candidates = try SocketAddress.resolve(host: host, port: port, passive: true)
        guard let first = candidates.first else {
            throw SocketAddress.ResolutionError(host: host, reason: "no address")
        }
        let descriptor = try Self.bind(first)
        self.descriptor = descriptor
        self.loops = loops
        self.tls = tls
        self.logger = logger
        self.onAccept = onAccept
        reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &storage) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        address = SocketAddress(storage)
        loops[0].execute { self.startAccepting() }
    }

    private static func bind(_ resolved: SocketAddress.Resolved) throws -> Int32 {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(resolved.family, flags, 0)
        guard descriptor >= 0 else { throw SystemError(call: "socket", code: errno) }
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var storage = resolved.storage
        let status = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, resolved.length) }
        }
        guard status == 0, listen(descriptor, backlogMax) == 0 else {
            let error = SystemError(call: status == 0 ? "listen" : "bind", code: errno)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private func startAccepting() {
        do {
            registration = try loops[0].register(descriptor, events: EPOLLIN.rawValue, handler: self)
        } catch {
            logger.critical("cannot watch the listening socket", metadata: ["error": "\(error)"])
        }
    }

    func handle(events: UInt32) {
        for _ in 0..<Self.acceptsPerEventMax {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let accepted = withUnsafeMutablePointer(to: &storage) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    campanile_accept4(
                        descriptor, $0, &length, Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue))
                }
            }
            guard accepted >= 0 else {
                switch errno {
                case EINTR, ECONNABORTED: continue
                case EMFILE, ENFILE: turnAway()
                default: break
                }
                return
            }
            hand(over: accepted, peer: SocketAddress(storage))
        }
    }

    private func hand(over accepted: Int32, peer: SocketAddress) {
        var on: Int32 = 1
        setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        let loop = loops[nextLoop % loops.count]
        nextLoop &+= 1
        let session: TLSSession?
        do {
            session = try tls.map { try $0.makeSession(descriptor: accepted) }
        } catch {
            close(accepted)
            logger.error("cannot start TLS", metadata: ["error": "\(error)"])
            return
        }
        let connection = SocketConnection(descriptor: accepted, peer: peer, loop: loop, tls: session, phase: .open)
        let onAccept = onAccept
        loop.execute { onAccept(connection) }
    }

    private func turnAway() {
        close(reserve)
        let accepted = accept(descriptor, nil, nil)
        if accepted >= 0 { close(accepted) }
        reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
        logger.error("no file descriptor left: a connection was turned away; raise the limit (ulimit -n)")
    }

    /// Stops listening; connections already accepted go on. From any thread.
    public func stop() {
        loops[0].execute {
            guard let registration = self.registration else { return }
            self.loops[0].unregister(registration)
            self.registration = nil
            close(self.descriptor)
            close(self.reserve)
        }
    }
}

extension SocketConnection {
    /// Connects to a server. The delegate is told as usual; the call returns once the connection is open (TLS included).
    /// - Parameters:
    ///   - host: Name or address; also the name the certificate must bear.
    ///   - resolver: Where the blocking name resolution runs.
    /// - Throws: ``SystemError``, ``SocketAddress/ResolutionError``, ``TLSError``.
    public static func connect(
        host: String, port: UInt16, loop: EventLoop, tls: TLSContext? = nil, resolver: WorkerPool,
        delegate: any SocketConnectionDelegate & Sendable
    ) async throws -> SocketConnection {
        let addresses = try await resolver.run { try SocketAddress.resolve(host: host, port: port, passive: false) }
        var lastError: any Error = SocketAddress.ResolutionError(host: host, reason: "no address")
        for address in addresses {
            do {
                return try await connect(to: address, host: host, loop: loop, tls: tls, delegate: delegate)
            } catch {
                lastError = error
            }
        }
        throw lastError
    }

    private static func connect(
        to address: SocketAddress.Resolved, host: String, loop: EventLoop, tls: TLSContext?,
        delegate: any SocketConnectionDelegate & Sendable
    ) async throws -> SocketConnection {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, flags, 0)
        guard descriptor >= 0 else { throw SystemError(call: "socket", code: errno) }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        var storage = address.storage
        let status = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, address.length) }
        }
        guard status == 0 || errno == EINPROGRESS else {
            let error = SystemError(call: "connect", code: errno)
            close(descriptor)
            throw error
        }
        let session: TLSSession?
        do {
            session = try tls.map {
                try $0.makeSession(
                    descriptor: descriptor, serverName: host, port: SocketAddress(address.storage).port)
            }
        } catch {
            close(descriptor)
            throw error
        }
        let connection = SocketConnection(
            descriptor: descriptor, peer: SocketAddress(address.storage), loop: loop, tls: session, phase: .connecting)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            loop.execute {
                connection.onConnected { continuation.resume(with: $0) }
                do {
                    try connection.start(delegate: delegate)
                } catch {
                    connection.finish(error: error)
                }
            }
        }
        return connection
    }
}
