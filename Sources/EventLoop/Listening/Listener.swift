import CEpoll
import Glibc
import Logging
import Synchronization

/// Accepts connections on one or more sockets and passes each to the loop with the fewest connections.
///
/// A refused connection gets a response immediately (see ``ConnectionAdmission``). When the process has no descriptor left, the
/// listener uses a reserve descriptor to accept and refuse the next connection. Otherwise the client would wait without limit and
/// the listener would spin.
///
/// `@unchecked Sendable`: confined to its accepting loop, the first of the set.
public final class Listener: @unchecked Sendable {
    /// Connections accepted for each readiness event, so that the loop's own connections are served in between.
    static let acceptsPerEventMax = 64
    /// How long the listener accepts nothing when the kernel has no memory, or there is no descriptor and none in reserve.
    static let pauseTime = Duration.milliseconds(100)

    /// The first of ``addresses``. Contains the port that the kernel chose if port 0 was requested.
    public let address: SocketAddress
    /// All addresses it listens on.
    public let addresses: [SocketAddress]
    /// Decides which connections are accepted.
    public let admission: ConnectionAdmission

    /// The listening sockets, to be handed to another process while this one accepts; empty after ``stop()``. From any thread.
    public var sockets: [ListeningSocket] { kept.withLock { $0 } }

    private let kept: Mutex<[ListeningSocket]>
    private let loops: [EventLoop]
    private let tls: TLSContext?
    private let logger: Logger
    private let onAccept: @Sendable (SocketConnection) -> Void
    private let refusals: RefusalLog
    private var entrances: [SocketHandler] = []
    private var pauseTimer: LoopTimer?
    /// Reserve descriptor, closed for a moment when the process has none left; -1 if it could not be opened.
    private var reserve: Int32 = -1

    /// Binds every address of `host` and listens. Blocks for name resolution; call it off the loops.
    /// - Parameters:
    ///   - host: Address to bind, such as `127.0.0.1`, `::` or a name.
    ///   - port: Port, or 0 for any.
    ///   - loops: At least one; the first accepts.
    ///   - tls: TLS settings; nil for plain connections.
    ///   - admission: Decides which connections are accepted; created for the same number of loops.
    ///   - onAccept: Called on the connection's own loop; it must call `start`.
    /// - Throws: ``SystemError`` (`bind: Address already in use`), ``SocketAddress/ResolutionError``.
    public convenience init(
        host: String, port: UInt16, loops: [EventLoop], tls: TLSContext? = nil, admission: ConnectionAdmission? = nil,
        logger: Logger = Logger(label: "campanile.listener"), onAccept: @escaping @Sendable (SocketConnection) -> Void
    ) throws {
        self.init(
            sockets: try ListeningSocket.bind(host: host, port: port), loops: loops, tls: tls, admission: admission,
            logger: logger, onAccept: onAccept)
    }

    /// Accepts on sockets that listen already. From any thread.
    /// - Parameters:
    ///   - sockets: At least one.
    public init(
        sockets: [ListeningSocket], loops: [EventLoop], tls: TLSContext? = nil, admission: ConnectionAdmission? = nil,
        logger: Logger = Logger(label: "campanile.listener"), onAccept: @escaping @Sendable (SocketConnection) -> Void
    ) {
        precondition(!loops.isEmpty && !sockets.isEmpty, "a listener needs a loop and a socket")
        self.loops = loops
        self.tls = tls
        self.admission = admission ?? ConnectionAdmission(ConnectionAdmission.Limits(), loopCount: loops.count)
        self.logger = logger
        self.onAccept = onAccept
        refusals = RefusalLog(loop: loops[0], logger: logger)
        kept = Mutex(sockets)
        addresses = sockets.map(\.address)
        address = sockets[0].address
        reserve = Self.makeReserve()
        entrances = sockets.map { SocketHandler(socket: $0, listener: self) }
        loops[0].execute { self.startAccepting() }
    }

    /// Handler of one listening socket. Retains its listener while it is registered.
    private final class SocketHandler: DescriptorHandler {
        let socket: ListeningSocket
        private let listener: Listener
        var registration: Registration?

        init(socket: ListeningSocket, listener: Listener) {
            self.socket = socket
            self.listener = listener
        }

        override func handle(events: UInt32) { listener.accept(on: socket.descriptor) }
    }

    private static func makeReserve() -> Int32 { Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) }

    private func startAccepting() {
        for entrance in entrances {
            do {
                entrance.registration = try loops[0].register(
                    entrance.socket.descriptor, events: EPOLLIN.rawValue, handler: entrance)
            } catch {
                logger.critical("cannot watch the listening socket", metadata: ["error": "\(error)"])
            }
        }
    }

    // MARK: Accepting

    /// Accepted connection on its way to its loop. `@unchecked Sendable`: handed from one loop to the other.
    private struct AcceptedSocket: @unchecked Sendable {
        let descriptor: Int32
        let peer: SocketAddress
        let ticket: ConnectionSlot
    }

    private func accept(on descriptor: Int32) {
        var arrivals: [[AcceptedSocket]] = Array(repeating: [], count: loops.count)
        defer { handOver(arrivals) }
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
                guard goesOn(after: errno, descriptor) else { return }
                continue
            }
            switch admission.admit(IPAddress(storage)) {
            case .admitted(let ticket):
                arrivals[ticket.loop].append(
                    AcceptedSocket(descriptor: accepted, peer: SocketAddress(storage), ticket: ticket))
            case .refused(let reason, let retryAfter):
                refusals.note(reason.explanation)
                RefusedConnection.answer(accepted, with: tls == nil ? reason.response(retryAfter: retryAfter) : nil)
            }
        }
    }

    /// Handles an error of `accept`.
    /// - Returns: True if the next connection may be accepted immediately.
    private func goesOn(after code: Int32, _ descriptor: Int32) -> Bool {
        switch code {
        case EAGAIN, EWOULDBLOCK: return false
        // Errors of this one connection: it is closed already, or a firewall rejected it (accept(2)).
        case EINTR, ECONNABORTED, EPERM, EPROTO, ENOPROTOOPT, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, ENONET,
            EOPNOTSUPP:
            return true
        case EMFILE, ENFILE: return refuseWithReserve(descriptor)
        default:
            refusals.note(SystemError(call: "accept", code: code).description)
            pause()
            return false
        }
    }

    private func refuseWithReserve(_ descriptor: Int32) -> Bool {
        refusals.note(ConnectionAdmission.Refusal.noDescriptor.explanation)
        guard reserve >= 0 else {
            pause()
            return false
        }
        Glibc.close(reserve)
        let accepted = campanile_accept4(
            descriptor, nil, nil, Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue))
        let code = errno
        if accepted >= 0 {
            admission.countMissingDescriptor()
            RefusedConnection.answer(
                accepted,
                with: tls == nil
                    ? ConnectionAdmission.Refusal.noDescriptor.response(retryAfter: ConnectionAdmission.fullRetryAfter)
                    : nil)
        }
        // Another thread may have taken the freed descriptor in the meantime.
        reserve = Self.makeReserve()
        if accepted < 0, code == EMFILE || code == ENFILE {
            pause()
            return false
        }
        return accepted >= 0
    }

    /// Stops accepting for a moment; new connections wait in the kernel's backlog.
    private func pause() {
        guard pauseTimer == nil else { return }
        setWatching(false)
        pauseTimer = loops[0].schedule(after: Self.pauseTime) { [weak self] in
            guard let self else { return }
            pauseTimer = nil
            if reserve < 0 { reserve = Self.makeReserve() }
            setWatching(true)
        }
    }

    private func setWatching(_ isWatching: Bool) {
        for entrance in entrances {
            guard let registration = entrance.registration else { continue }
            loops[0].setEvents(isWatching ? EPOLLIN.rawValue : 0, of: registration)
        }
    }

    /// Passes all connections for a loop in one inbox entry.
    private func handOver(_ arrivals: [[AcceptedSocket]]) {
        for (index, arrivals) in arrivals.enumerated() where !arrivals.isEmpty {
            let loop = loops[index]
            loop.execute { [tls, logger, onAccept] in
                for arrival in arrivals { Self.open(arrival, loop, tls, logger, onAccept) }
            }
        }
    }

    /// Creates the connection on its own loop, because creating a TLS session takes some microseconds.
    private static func open(
        _ arrival: AcceptedSocket, _ loop: EventLoop, _ tls: TLSContext?, _ logger: Logger,
        _ onAccept: (SocketConnection) -> Void
    ) {
        var on: Int32 = 1
        setsockopt(
            arrival.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        let session: TLSSession?
        do {
            session = try tls.map { try $0.makeSession(descriptor: arrival.descriptor) }
        } catch {
            Glibc.close(arrival.descriptor)
            logger.error("cannot start TLS", metadata: ["error": "\(error)"])
            return
        }
        let connection = SocketConnection(
            descriptor: arrival.descriptor, peer: arrival.peer, loop: loop, tls: session, phase: .open)
        connection.ticket = arrival.ticket
        onAccept(connection)
    }

    // MARK: Stopping

    /// Stops as ``stop()`` does, and returns when `onAccept` was called for every accepted connection.
    public func close() async {
        stop()
        for loop in loops { await withCheckedContinuation { done in loop.execute { done.resume() } } }
    }

    /// Stops accepting; connections already accepted continue. Closes the sockets unless another owner retains them. From any
    /// thread.
    public func stop() {
        loops[0].execute {
            self.pauseTimer?.cancel()
            for entrance in self.entrances {
                if let registration = entrance.registration { self.loops[0].unregister(registration) }
                // Breaks the reference cycle; the socket is closed with its last reference.
                entrance.registration = nil
            }
            self.entrances.removeAll()
            self.kept.withLock { $0.removeAll() }
            if self.reserve >= 0 { Glibc.close(self.reserve) }
            self.reserve = -1
        }
    }
}
